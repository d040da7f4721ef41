%% sum.erl - processes, messages, pattern matching, binaries, big integers, errors; interpreted and compiled code.
-module(sum).
-export([main/1]).
next(X) -> X * 16807 rem 2147483647.
loop(0, _, Sum) -> Sum;
loop(N, X, Sum) -> loop(N - 1, next(X), Sum + X rem 1009).
fact(0) -> 1;
fact(N) -> N * fact(N - 1).
worker(Parent, N) -> Parent ! {N, lists:sum([I * I || I <- lists:seq(1, N)])}.
main(_) ->
    io:format("~p ~p~n", [loop(20000, 1, 0), fact(50)]),
    Self = self(),
    [spawn(fun() -> worker(Self, N * 10) end) || N <- lists:seq(1, 20)],
    Results = [receive {N0, S} when N0 =:= N * 10 -> S end || N <- lists:seq(1, 20)],
    io:format("~p~n", [lists:sum(Results)]),
    io:format("~p~n", [catch hd([])]),
    B = << <<(X bxor 85)>> || <<X>> <= list_to_binary(lists:seq(0, 255)) >>,
    io:format("~p ~p~n", [erlang:crc32(B), erlang:md5(B)]),
    halt(3).
