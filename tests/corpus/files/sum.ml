(* sum.ml - closures, a hash table, exceptions, floats, garbage. *)
exception Found of int
type tree = Leaf | Node of tree * int * tree
let rec insert k = function Leaf -> Node (Leaf, k, Leaf) | Node (l, v, r) -> if k < v then Node (insert k l, v, r) else Node (l, v, insert k r)
let rec depth = function Leaf -> 0 | Node (l, _, r) -> 1 + max (depth l) (depth r)
let next x = x * 16807 mod 2147483647
let rec deep n = 1 + deep (n + 1)
let () =
  let x = ref 1 and t = ref Leaf and h = Hashtbl.create 100 in
  for _ = 1 to 20000 do x := next !x; t := insert (!x mod 5003) (if depth Leaf = 0 && !x mod 50 = 0 then Leaf else !t); Hashtbl.replace h (!x mod 1009) !x done;
  Printf.printf "%d %d\n" (depth !t) (Hashtbl.length h);
  (try List.iter (fun v -> if v * v > 50 then raise (Found v)) [1; 5; 8; 9] with Found v -> Printf.printf "found %d\n" v);
  (try ignore (1 / (depth Leaf)) with Division_by_zero -> print_endline "division by zero");
  (try ignore (deep 0) with Stack_overflow -> print_endline "stack overflow");
  Gc.full_major ();
  Printf.printf "%.12f\n" (List.fold_left (fun a i -> a +. sin (float i)) 0. [1; 2; 3]);
  exit 4
