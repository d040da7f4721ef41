#!/bin/sh
# Are two copied submissions found among those of thirty students?  Are MOSS and JPlag given what they want?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

out=$SCRATCH/out err=$SCRATCH/err class=$SCRATCH/class export=$SCRATCH/export
mkdir "$class"

# ---- thirty students: each part of csim written in one of three ways, which way is drawn ----

# part WHICH WAY: one of the parts.
part() {
    case $1$2 in
    store0) echo 'struct line { unsigned long tag, used; int valid; }; static struct line *cells; static unsigned long now;' ;;
    store1) echo 'static unsigned long *tags; static int *ages; static char *full; static int sets, ways;' ;;
    store2) echo 'typedef struct node { unsigned long number; struct node *next; } node; static node **heads; static int *lengths;' ;;
    look0) echo 'static int look(unsigned long n) { struct line *l = cells + (n % S) * E, *old = l; now++; for (int i = 0; i < E; i++, l++) { if (l->valid && l->tag == n) { l->used = now; hits++; return 1; } if (!l->valid || l->used < old->used) old = l; } misses++; evictions += old->valid; old->valid = 1; old->tag = n; old->used = now; return 0; }' ;;
    look1) echo 'static int look(unsigned long n) { int set = n & (S - 1), place = 0; while (place < E && !(full[set * E + place] && tags[set * E + place] == n)) ++place; if (place == E) { misses += 1; place = 0; for (int k = 1; k < E; ++k) if (ages[set * E + k] > ages[set * E + place]) place = k; if (full[set * E + place]) evictions += 1; full[set * E + place] = 1; tags[set * E + place] = n; } else hits += 1; for (int k = 0; k < E; ++k) ages[set * E + k] += 1; ages[set * E + place] = 0; return 0; }' ;;
    look2) echo 'static int look(unsigned long n) { node **at = &heads[n % S], *found; int depth = 0; for (; *at; at = &(*at)->next, depth++) if ((*at)->number == n) break; found = *at; if (found) { hits++; *at = found->next; } else { misses++; found = malloc(sizeof *found); found->number = n; if (lengths[n % S] == E) { evictions++; at = &heads[n % S]; while ((*at)->next) at = &(*at)->next; free(*at); *at = 0; } else lengths[n % S]++; } found->next = heads[n % S]; heads[n % S] = found; return depth; }' ;;
    ref0) echo 'static void touch(unsigned long a, int size) { unsigned long first = a / B, last = (a + size - 1) / B; look(first); if (last != first) look(last); }' ;;
    ref1) echo 'static void touch(unsigned long a, int size) { for (unsigned long line = a >> b; line <= (a + size - 1) >> b; line++) look(line); }' ;;
    ref2) echo 'static void touch(unsigned long a, int size) { unsigned long at = a & ~(B - 1); do { look(at >> b); at += B; } while (at < a + size); }' ;;
    read0) echo 'static void readall(FILE *f) { char line[100]; while (fgets(line, 100, f)) { unsigned long a; int size; if (line[0] == 73 || sscanf(line + 3, "%lx,%d", &a, &size) != 2) continue; touch(a, size); if (line[1] == 77) touch(a, size); } }' ;;
    read1) echo 'static void readall(FILE *f) { unsigned long a; char op; int size; while (fscanf(f, " %c %lx,%d", &op, &a, &size) == 3) { switch (op) { case 77: touch(a, size); touch(a, size); break; case 76: case 83: touch(a, size); break; } } }' ;;
    read2) echo 'static void readall(FILE *f) { char *text = 0, *comma; size_t room = 0; for (; getline(&text, &room, f) > 0;) { int times = text[1] == 77 ? 2 : text[0] == 73 ? 0 : 1; comma = strchr(text, 44); while (comma && times-- > 0) touch(strtoul(text + 3, 0, 16), atoi(comma + 1)); } free(text); }' ;;
    main0) echo 'int main(int argc, char **argv) { int o; char *path = 0; while ((o = getopt(argc, argv, "s:E:b:t:")) != -1) { if (o == 115) s = atoi(optarg); else if (o == 69) E = atoi(optarg); else if (o == 98) b = atoi(optarg); else path = optarg; } prepare(); FILE *f = fopen(path, "r"); readall(f); printf("hits:%d misses:%d evictions:%d\n", hits, misses, evictions); return 0; }' ;;
    main1) echo 'int main(int argc, char **argv) { const char *name = ""; for (int i = 1; i + 1 < argc; i += 2) switch (argv[i][1]) { case 115: s = atoi(argv[i + 1]); break; case 69: E = atoi(argv[i + 1]); break; case 98: b = atoi(argv[i + 1]); break; case 116: name = argv[i + 1]; break; default: return 1; } prepare(); readall(fopen(name, "r")); return printf("hits:%d misses:%d evictions:%d\n", hits, misses, evictions) < 0; }' ;;
    main2) echo 'static char *value(int n, char **words, const char *which) { for (int i = 0; i < n; i++) if (!strcmp(words[i], which)) return words[i + 1]; return "0"; } int main(int argc, char **argv) { FILE *in; s = atoi(value(argc, argv, "-s")), E = atoi(value(argc, argv, "-E")), b = atoi(value(argc, argv, "-b")); in = fopen(value(argc, argv, "-t"), "r"); if (in) { prepare(); readall(in); fclose(in); } printf("hits:%d misses:%d evictions:%d\n", hits, misses, evictions); return in == 0; }' ;;
    esac
}
# The parts of lookups go with their storage.
number=0
for a in 0 1 2; do for b in 0 1 2; do for c in 0 1 2; do
    number=$((number + 1))
    student=$class/s$(printf '%02d' $number)
    mkdir "$student"
    {
        echo '#include <stdio.h>'
        part store $a
        part look $a
        part ref $(((a + b + c) % 3))
        part read $b
        part main $c
    } >"$student/csim.c"
done; done; done
# Two who copied: other names, comments, layout and order; and one who handed in nothing.
mkdir "$class/copy1" "$class/copy2" "$class/none"
sed 's/\blook\b/visit/g; s/\btouch\b/memory_access/g; s/; /;\n    /g; s/\bhits\b/number_of_hits/g; s/{/{ \/* mine *\/\n/g' "$class/s05/csim.c" >"$class/copy1/csim.c"
{ sed -n '1p;4p;2,3p;5,6p' "$class/s20/csim.c" | sed 's/\bE\b/lines_of_a_set/g; s/\bnow\b/clock/g; s/  */\t/g'; echo 'static int unused(int a) { return a + 1; }'; } >"$class/copy2/csim.c"

is "$(ls "$class" | wc -l | tr -d ' ')" 30 'thirty students'
"$QUERN" lab export -o "$export" 1 "$class" >"$out" 2>"$err"
is "$?:$(cat "$err")" 0: 'export'
is "$(head -n 1 "$export/similar.csv")" 'first,second,percent,shared,of' 'a table of pairs'
is "$(grep -cv solution "$export/similar.csv")" 436 'of all pairs'
is "$(sed -n '2,3s/\([^,]*,[^,]*\),.*/\1/p' "$export/similar.csv" | LC_ALL=C sort | tr '\n' ' ')" 'copy1,s05 copy2,s20 ' 'the two that were copied come first'
ok 'with more than 85%' test "$(awk -F, 'NR == 3 { print $3 }' "$export/similar.csv")" -gt 85
ok 'and the next has less than 80' test "$(awk -F, 'NR == 4 { print $3 }' "$export/similar.csv")" -lt 80
is "$(grep -c ',none,0,0,\|^none,.*,0,0,' "$export/similar.csv")" 29 'who handed in nothing is like nobody'
same_file "$export/submissions/copy1/csim.c" "$class/copy1/csim.c" 'submissions are copied as they are'
same_file "$export/base/csim.c" "$top_srcdir/labs/01-cache/starter/csim.c" 'and what was given to all'

# The page has both sides of the pairs that are most alike; what both have is marked.
page=$export/similar.html
is "$(grep -c '<h2 id="pair' "$page"):$(sed -n 's/.*<h2 id="pair1">\(.*\): .*/\1/p' "$page")" "$(awk -F, 'NR > 1 && $3 >= 60' "$export/similar.csv" | head -n 20 | wc -l | tr -d ' '):$(sed -n '2s/\([^,]*\),\([^,]*\),.*/\1 and \2/p' "$export/similar.csv")" \
    'a page with these pairs'
section() { awk -v n="$1" '/<h2 /{ on = index($0, "id=\"pair" n "\"") } on' "$page"; }
ok 'both texts are there' test "$(section 1 | grep -c '<pre')" -eq 2
ok 'what both have is marked' test "$(section 1 | grep -o '<mark>' | wc -l)" -gt 2
is "$(section 1 | grep -o '<mark>[^<]*unused' | wc -l | tr -d ' ')" 0 'and what one of them has added is not'

# Last year's class: who has much of it is told, and is on the page; the others are not.
mkdir -p "$SCRATCH/last/zoe <b>" "$SCRATCH/last/yan" "$SCRATCH/this/ann" "$SCRATCH/this/ben"
cp "$class/s07/csim.c" "$SCRATCH/last/zoe <b>/csim.c"
cp "$class/s13/csim.c" "$SCRATCH/last/yan/csim.c"
sed 's/\bmisses\b/wrong/g' "$class/s07/csim.c" >"$SCRATCH/this/ann/csim.c"
cp "$class/s27/csim.c" "$SCRATCH/this/ben/csim.c"
mkdir "$SCRATCH/this/cyd" # nothing handed in
"$QUERN" lab export --earlier="$SCRATCH/last" -o "$SCRATCH/year" 1 "$SCRATCH/this" >"$out" 2>"$err"
is "$?:$(cat "$err"):$(sed -n 2p "$SCRATCH/year/similar.csv" | cut -d, -f1-3)" '0::ann,earlier/zoe <b>,100' 'with last year: the copy is first' || diag "$(cat "$SCRATCH/year/similar.csv")"
is "$(grep -c '^earlier' "$SCRATCH/year/similar.csv")" 0 'and those of last year are not compared with each other'
is "$(sed -n 's/.*<h2 id="pair1">\(.*\): .*/\1/p' "$SCRATCH/year/similar.html"):$(ls "$SCRATCH/year/submissions" | tr '\n' ' ')" \
    'ann and earlier/zoe &lt;b&gt;:ann ben cyd ' 'the page has it, escaped; only this class is exported'
"$QUERN" lab marks --earlier="$SCRATCH/last" 1 "$SCRATCH/this" >"$out" 2>"$err"
is "$?:$(head -c 8 "$out"):$(sed -n '2,$s/^\([a-z]*\),.*,/\1:/p' "$out" | tr '\n' ' ')" '0:student,:ann:100% in common with earlier/zoe <b> ben: cyd:csim.c was not handed in ' 'marks has it in its last column' || diag "$(cat "$out" "$err")"
"$QUERN" lab export --earlier="$SCRATCH/nowhere" -o "$SCRATCH/x" 1 "$SCRATCH/this" >"$out" 2>"$err"
is "$?:$(cat "$err")" "1:quern: lab: $SCRATCH/nowhere: No such file or directory" 'no such class: one line'

# Macros for signs, digraphs and empty statements do not hide a copy; nor is a copy of a module that ships, or of the solution, one of nobody.
mkdir -p "$SCRATCH/macros/a" "$SCRATCH/macros/b" "$SCRATCH/policies/a"
cp "$class/s05/csim.c" "$SCRATCH/macros/a"
{ echo '#define J ;'; sed 's/;/ J ;/g; s/\[/<:/g; s/\]/:>/g; s/{/<%/g; s/}/%>/g' "$class/s05/csim.c"; } >"$SCRATCH/macros/b/csim.c"
"$QUERN" lab export -o "$SCRATCH/macros.out" 1 "$SCRATCH/macros" >"$out" 2>"$err"
ok 'a copy whose signs are macros and digraphs has more than 85%' test "$(sed -n 's/^a,b,\([0-9]*\),.*/\1/p' "$SCRATCH/macros.out/similar.csv")" -gt 85 || diag "$(cat "$err" "$SCRATCH/macros.out/similar.csv")"
sed 's/\bway\b/place/g' "$top_srcdir/lib/sim/policy/srrip.c" >"$SCRATCH/policies/a/srrip.c"
"$QUERN" lab export -o "$SCRATCH/policies.out" 3 "$SCRATCH/policies" >"$out" 2>"$err"
is "$(grep -c '^a,sim/policy/srrip.c,100,' "$SCRATCH/policies.out/similar.csv")" 1 'nor is a copy of a module that ships' || diag "$(cat "$err"; head -n 5 "$SCRATCH/policies.out/similar.csv")"

# MOSS and JPlag themselves are not here: what they would be called with.
printf '#!/bin/sh\npwd\nprintf "%%s\\n" "$@"\n' >"$SCRATCH/moss" && chmod +x "$SCRATCH/moss"
MOSS=$SCRATCH/moss "$export/moss.sh" >"$out"
is "$(sed -n '2,6p' "$out" | tr '\n' ' '):$(grep -c '^submissions/.*/csim.c$' "$out")" '-l c -d -b base/csim.c :29' "moss's words"
mkdir "$SCRATCH/bin"
cp "$SCRATCH/moss" "$SCRATCH/bin/java"
PATH=$SCRATCH/bin:$PATH "$export/jplag.sh" >"$out"
is "$(sed 1d "$out" | tr '\n' ' ')" '-jar jplag.jar -l c -bc base -r result submissions ' "jplag's words"

"$QUERN" lab export 1 "$class" >"$out" 2>"$err"
is "$?:$(wc -l <"$err")" 2:1 'without a folder: one line'
"$QUERN" lab export -o "$SCRATCH/x" 1 "$SCRATCH/nowhere" >"$out" 2>"$err"
is "$?:$(cat "$err")" "1:quern: lab: $SCRATCH/nowhere: No such file or directory" 'no class: one line'
ln -s /etc/passwd "$class/none/csim.c"
"$QUERN" lab export -o "$SCRATCH/again" 1 "$class" && ok 'links are not followed' test ! -e "$SCRATCH/again/submissions/none/csim.c"
done_testing
