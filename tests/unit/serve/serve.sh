#!/bin/sh
# Does `quern serve` do what its own page asks for, within its bounds, and nothing that anybody else asks for?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
for tool in curl jq; do
    command -v $tool >/dev/null || absent_all "$tool is not installed" 101
done
[ -x "$top_builddir/quern-serve" ] || absent_all 'quern was built without libmicrohttpd' 101

mkdir folder folder/sub folder/dir.c outside || bail 'cannot make folders'
cat >folder/mm.c <<'END'
#include <stdio.h>
#include "size.h"
static double a[N][N], b[N][N], c[N][N];
int main(int argc, char **argv)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
    for (int i = 1; i < argc; i++)
        printf("[%s]", argv[i]);
    for (int byte; (byte = getchar()) != EOF;)
        putchar(byte);
    return c[1][2] > 0;
}
END
echo '#define N 24' >folder/size.h
echo 'int main(void) { return 3; }' >folder/plain.c
echo secret >outside/secret.c
ln -s ../outside/secret.c folder/link.c
printf 'int latin; /* \344 */\n' >folder/latin.c
echo hidden >folder/.hidden.c
echo no >folder/notes.txt

mkfifo out || bail 'no fifo'
"$QUERN" serve folder >out 2>err &
server=$!
trap 'kill $server 2>/dev/null' EXIT
exec 9<out
read -r url <&9 || bail "it does not begin: $(cat err)"
origin=$(echo "$url" | sed 's,\(http://[^/]*\)/.*,\1,')
port=${origin##*:}
token=$(echo "$url" | sed 's,.*/\([^/]*\)/$,\1,')
ok 'it prints an address with a token of 128 bits' test "$(echo "$url" | sed 's,^http://127\.0\.0\.1:[0-9]*/[0-9a-f]\{32\}/$,yes,')" = yes
is "$(awk -v port="$(printf '%04X' "$port")" '$4 == "0A" && split($2, a, ":") && a[2] == port { print a[1] }' /proc/net/tcp | sort -u)" 0100007F \
    'it listens on 127.0.0.1'
is "$(awk -v port="$(printf '%04X' "$port")" '$4 == "0A" && split($2, a, ":") && a[2] == port { print a[1] }' /proc/net/tcp6)" '' '... and nowhere else'

# status ARGUMENTS...: of curl
status() { curl -s -o answer -w '%{http_code}' "$@"; }
# post PATH FILE [ARGUMENTS...]: as the page does
post() {
    post_path=$1 post_file=$2
    shift 2
    status -X POST -H "Origin: $origin" -H 'Content-Type: application/json' --data-binary "@$post_file" "$@" "$url$post_path"
}
error() { jq -r '.error // "none"' answer; }

# ---- what the page asks for ----

is "$(status "$url")" 200 'the page'
is "$(status "${url}serve.js") $(grep -c '^async function start' answer)" '200 1' 'its script'
is "$(status "${url}serve.css") $(grep -c '^#counts' answer | sed 's/^[1-9][0-9]*$/some/')" '200 some' 'its style'
curl -s -D head -o answer "$url"
for wanted in "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'" 'X-Frame-Options: DENY' 'Referrer-Policy: no-referrer' \
    'X-Content-Type-Options: nosniff' 'Cross-Origin-Resource-Policy: same-origin' 'Cache-Control: no-store'; do
    ok "with $wanted" grep -qi -e "$wanted" head
done
is "$(grep -ci '^access-control' head)" 0 'and no leave for other origins'
is "$(grep -c '<script>\|javascript:\| on[a-z]*=\| style=' answer)" 0 'nothing inline'
is "$(status "${url}files") $(jq -c .files answer)" '200 ["latin.c","mm.c","plain.c"]' 'the C files of the folder, no links, folders, hidden ones'
is "$(jq -r '.modules | [.D1, .LL][] | [.[] | select(. == "srrip" or . == "writeback")] | sort | join(" ")' answer)" 'srrip writeback
srrip' 'modules by slot'
is "$(status "${url}file?name=mm.c")" 200 'a file'
jq -j .text answer >got
same_file got folder/mm.c '... as it is'

# ---- others ----

refused() { # STATUS WHAT ARGUMENTS...
    wanted=$1 what=$2
    shift 2
    is "$(status "$@")" "$wanted" "refused: $what"
}
refused 404 'no token' "$origin/"
refused 404 'a wrong token' "$origin/00000000000000000000000000000000/"
refused 404 'half a token' "$origin/$(echo "$token" | cut -c1-16)/"
refused 404 'a token with more behind it' "$origin/${token}0/"
refused 404 'the token without a slash' "$origin/$token"
refused 403 'the host of a rebound name' -H 'Host: evil.example' "$url"
refused 403 'the host with that name and our port' -H "Host: evil.example:$port" "$url"
refused 403 'localhost, which a page could have a name for' -H "Host: localhost:$port" "$url"
refused 400 'no host' -H 'Host:' "$url"
refused 403 'another page that reads' -H 'Origin: http://evil.example' "$url"
refused 403 'a page of another port' -H "Origin: http://127.0.0.1:1" "${url}files"
refused 403 'a page without origin of its own' -H 'Origin: null' "${url}files"
refused 403 'an image or script of another site' -H 'Sec-Fetch-Site: cross-site' "${url}serve.js"
refused 403 'a page of the same site, another port' -H 'Sec-Fetch-Site: same-site' "${url}files"
jq -nc --rawfile text folder/mm.c '{name: "mm.c", text: $text, arguments: ["100", "a b", ""], input: "in\n"}' >run.json
json='Content-Type: application/json'
refused 403 'a run without origin' -X POST -H "$json" --data-binary @run.json "${url}run"
refused 403 'a run from another origin' -X POST -H "$json" -H 'Origin: http://evil.example' --data-binary @run.json "${url}run"
refused 403 'a run from two origins' -X POST -H "$json" -H "Origin: $origin" -H 'Origin: http://evil.example' --data-binary @run.json "${url}run"
refused 403 'a run that the user did not ask for' -X POST -H "$json" -H "Origin: $origin" -H 'Sec-Fetch-Site: none' --data-binary @run.json "${url}run"
refused 415 'a form' -X POST -H "Origin: $origin" --data-binary @run.json "${url}run"
refused 415 'plain text' -X POST -H "Origin: $origin" -H 'Content-Type: text/plain' --data-binary @run.json "${url}run"
refused 405 'a question about what is allowed (CORS)' -X OPTIONS -H "Origin: $origin" -H 'Access-Control-Request-Method: POST' "${url}run"
refused 405 'PUT' -X PUT -H "$json" -H "Origin: $origin" --data-binary @run.json "${url}file"
refused 404 'a run without token' -X POST -H "$json" -H "Origin: $origin" --data-binary @run.json "$origin/run"

# ---- names ----

for name in ../outside/secret.c %2e%2e%2foutside%2fsecret.c ..%5coutside%5csecret.c "$SCRATCH/outside/secret.c" sub/x.c .hidden.c notes.txt -x.c '' a%00.c%00b \
    mm.c%0a; do
    is "$(status "${url}file?name=$name") $(grep -c secret answer)" '400 0' "no file for the name '$(echo "$name" | sed "s,$SCRATCH,,")'"
done
for name in link.c dir.c none.c latin.c; do
    is "$(status "${url}file?name=$name") $(grep -c secret answer)" '404 0' "no text for $name"
done
refused 404 'a path out of the folder' --path-as-is "$url../outside/secret.c"
refused 404 'the same, encoded' "$url%2e%2e/outside/secret.c"

# ---- saving ----

saved() { # NAME VERSION TEXT
    jq -nc --arg n "$1" --arg v "$2" --arg t "$3" '{name: $n, version: $v, text: $t}' >save.json
    post save save.json
}
is "$(saved new.c '' 'int x;') $(cat folder/new.c)" '200 int x;' 'a new file is saved'
version=$(jq -r .version answer)
is "$(saved new.c '' 'int y;') $(cat folder/new.c)" '409 int x;' 'one that is there already is not overwritten'
is "$(saved new.c "$version" 'int z;') $(cat folder/new.c)" '200 int z;' 'with its version it is'
echo 'changed elsewhere' >folder/new.c
is "$(saved new.c "$(jq -r .version answer)" 'int q;') $(cat folder/new.c)" '409 changed elsewhere' 'not when somebody else changed it'
is "$(saved ../outside/new.c '' x)$(saved .x.c '' x)$(saved sub/x.c '' x)$(saved link.c '' x) $(ls outside folder/sub) $(cat outside/secret.c)" \
    '400400400409 folder/sub:

outside:
secret.c secret' 'nothing is saved elsewhere'

# ---- runs ----

# run FILTER: makes run.json of {} by the filter; prints status
run() { jq -nc "$@" >run.json && post run run.json; }
# source TEXT [FILTER]: a run of this text
source() { run --arg t "$1" "{name: \"p.c\", text: \$t} + {${2-}}"; }

is "$(post run run.json) $(jq -r '"\(.stage) \(.status) \(.output)"' answer)" '200 run 0 [100][a b][]in' 'a run: arguments and input'
jq -r .profile answer >profile
(cd folder && "$CC" -std=gnu11 -g -O1 -pthread -o ../mm mm.c -lm) && "$QUERN" run -q --out-file=wanted ./mm 100 'a b' '' </dev/null >/dev/null || bail 'cannot run'
counts() { awk '/^events:/ { for (i = 2; i <= NF; i++) at[$i] = i } /^fl=/ { own = /mm\.c$/ } own && /^[0-9]/ && $1 < 12 { print $1, $at["Ir"], $at["Dr"], $at["Dw"] }' "$1"; }
is "$(counts profile)" "$(counts wanted)" 'counts of its lines are those of quern run'
ok 'its inner loop is among them' test "$(counts profile | awk '$1 == 9 { print ($2 > 24 * 24 * 24) }')" = 1
post run run.json >/dev/null
jq -r .profile answer | cmp -s - profile
is $? 0 'the same program again: the same profile'
is "$(source 'int main(void) { return 0; }' 'caches: {I1: "4096,1,64", D1: "1024,2,64", LL: "65536,4,64"}, modules: {D1: "srrip"}, branches: true') $(
    jq -r .profile answer | sed -n 's/^desc: \(..\) cache: *\([0-9]*\) B, \(.*\)/\1 \2 \3/p; s/^desc: Modules:.*\(D1=srrip\).*/\1/p; s/^events: .*\(Bcm\).*/\1/p' | tr '\n' ' ')" \
    '200 I1 4096 64 B, 1-way associative D1 1024 64 B, 2-way associative LL 65536 64 B, 4-way associative D1=srrip Bcm ' 'caches, a module, branches'
cp "$top_srcdir/labs/03-policies/starter/random.c" folder/own.c
is "$(status "${url}files") $(jq -c .own answer)" '200 ["own.c"]' 'a module in the folder is told'
is "$(source 'int main(void) { return 0; }' 'modules: {D1: "own.c", LL: "srrip"}') $(jq -r .profile answer | sed -n 's/^desc: Modules: *I1=lru \(.*\) BC=.*/\1/p' | sed 's/:[0-9a-f]*//g')" \
    '200 D1=own LL=srrip' '... and runs beside one that ships' || diag "$(cat answer)"
is "$(source 'int main(void) { return 0; }' 'modules: {D1: "own.c"}, beside: {name: "own.c", text: "#include \"sim/module.h\"\n#define POLICY \"own\"\nx\n"}') $(
    jq -r '.stage + " " + (.messages | split("\n") | map(select(test("own.c:[34]"))) | length > 0 | tostring)' answer)" '200 compile true' \
    '... as it is in the editor: what is wrong with it is told' || diag "$(cat answer)"
is "$(source 'int main(void) { return x; }') $(jq -r '.stage + " " + (.messages | split("\n") | map(select(test("error"))) | .[0][:16])' answer)" \
    '200 compile p.c:1:25: error:' 'a program that cannot be compiled'
is "$(source 'int main(void) { char *volatile p = 0; return *p; }') $(jq -r .trouble answer)" '200 was killed by signal 11 (Segmentation fault)' 'a crash'
is "$(source '#include <stdio.h>
int main(void) { fwrite("a\0\377b", 1, 4, stdout); for (;;) puts("flood"); }') $(jq -r '"\(.trouble) \(.output_cut) \(.output | length < 70000) \(.output[:4])"' answer)" \
    "200 printed more than 16 MiB true true a$(printf '\357\277\275\357\277\275')b" 'output is bounded, and any bytes'
cat >evil.c <<'END'
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
int main(void)
{
    printf("%d %d %d %d %d", open("/etc/passwd", O_RDONLY), open("new", O_WRONLY | O_CREAT, 0600), open("p.c", O_WRONLY), socket(AF_INET, SOCK_STREAM, 0),
           open(SECRET, O_RDONLY));
}
END
is "$(source "#define SECRET \"$SCRATCH/outside/secret.c\"
$(cat evil.c)") $(jq -r .output answer)" '200 -1 -1 -1 -1 -1' 'a program reads and writes no file, and has no network'
is "$(source "#include \"$SCRATCH/outside/secret.c\"
int main(void) { return 0; }") $(jq -r '"\(.stage) \(.messages | test("secret;") or test("Permission denied"))"' answer)" '200 compile true' 'a source includes nothing from elsewhere'
is "$(source '#include <unistd.h>
#include <sys/wait.h>
int main(void) { int status, child = fork(); if (child) wait(&status); return child < 0; }') $(jq -r .profile answer | grep -c '^events:')" '200 1' \
    'of a program that forks the profile of its first process'

# ---- bounds ----

wrong() { # STATUS WHAT TEXT-OF-ERROR
    is "$1 $(error | cut -c1-"${#3}")" "400 $3" "refused: $2"
}
wrong "$(run '[]')" 'no object' 'the request is not JSON'
printf '{' >run.json
wrong "$(post run run.json)" 'half a request' 'the request is not JSON'
wrong "$(run '{name: "../p.c", text: ""}')" 'a name with a folder' 'name: '
wrong "$(run '{name: "p.c", text: ("x" * 300000)}')" 'a source of 300 KB' 'text: '
wrong "$(source x 'input: ("x" * 1100000)')" 'an input of 1.1 MB' 'input: '
wrong "$(source x 'arguments: [range(65) | tostring]')" '65 arguments' 'arguments: '
wrong "$(source x 'optimisation: "-fplugin=x"')" 'an option for the compiler' 'optimisation: '
wrong "$(source x 'caches: {D1: "1 --sim=x"}')" 'an option for quern' 'caches: '
wrong "$(source x 'modules: {D1: "/etc/passwd"}')" 'a path for a module' 'modules: '
wrong "$(source x 'modules: {D1: "../own.c"}')" 'a module elsewhere' 'modules: '
wrong "$(source x 'beside: {name: "../own.c", text: ""}')" 'a text for a file elsewhere' 'beside: '
head -c 3000000 /dev/zero | tr '\0' x >large
is "$(post run large -H 'Expect:')" 413 'refused: 3 MB'
is "$(post run large -H 'Expect:' -H 'Transfer-Encoding: chunked')" 413 'refused: 3 MB in pieces'
{
    printf 'POST %srun HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n' "/${url#*://*/}" "${origin#*://}" "$origin"
    for size in $(yes 16000 | head -n 130) 30000 30000 $(yes 500 | head -n 200); do printf '%x\r\n%s\r\n' "$size" "$(head -c "$size" large)"; done
    printf '0\r\n\r\n'
} >pieces
is "$(curl -s -m 20 "telnet://${origin#*://}" <pieces | head -n 1 | cut -d' ' -f2)" 413 'refused: 2 MB and a bit, whose last pieces there would be room for'
is "$(status "${url}files")" 200 '... and the server goes on'
is "$(status -H "X-Large: $(head -c 60000 large)" "$url")" 431 'refused: a header of 60 KB'

# A run that does not end: told by "another run is going on"; it ends with the connection that asked for it.
marker=quern-serve-test-$$
going() { cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -c -x "[q]${marker#q}"; }
begin() {
    jq -nc --arg m "$marker" '{name: "p.c", text: "int main(void) { for (volatile int i = 0;; i++); }", arguments: [$m]}' >endless.json
    curl -s -o endless -X POST -H "Origin: $origin" -H "$json" --data-binary @endless.json "${url}run" &
    client=$!
    while [ "$(going)" = 0 ] && kill -0 $client; do :; done
}
begin
is "$(source 'int main(void) { return 0; }') $(error)" '503 another run is going on' 'one run at a time'
is "$(status "${url}files")" 200 'meanwhile everything else is answered'
kill $client
while [ "$(source 'int main(void) { return 5; }')" = 503 ]; do :; done
is "$(jq -r .status answer) $(going)" '5 0' 'who hangs up ends the run, and all of its processes'
begin
scratch=$(sed -n 's/^desc: Program: *\(.*\)\/run\/work\/prog,.*/\1/p' profile)
ok 'its folder of temporary files is there' test -d "$scratch"
kill -TERM $server
wait $server
is "$? $(going) $(ls -d "$scratch" 2>/dev/null)" '143 0 ' 'SIGTERM ends it, the run, and its temporary files'
wait $client

# ---- usage ----

usage() { # STATUS TEXT ARGUMENTS...
    wanted=$1 text=$2
    shift 2
    "$QUERN" serve "$@" >usage.out 2>usage.err
    got=$?
    grep -v "kernel\|not started as root\|nobody cannot\|AddressSanitizer\|Landlock is" usage.err >usage.own
    is "$got $(wc -l <usage.own) $(grep -c -e "$text" usage.own)" "$wanted 1 1" "refused in one line: $*"
}
usage 2 'none: No such file' none
usage 2 'is no folder' folder/mm.c
usage 2 '65535' --port=70000 folder
usage 2 'one folder' folder outside
usage 2 'nosuch' --nosuch
done_testing
