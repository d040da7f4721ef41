<?php // sum.php - arrays, strings, closures, exceptions, generators, regular expressions.
$x = 1; $counts = [];
for ($i = 0; $i < 30000; $i++) { $x = $x * 16807 % 2147483647; $k = $x % 1009; $counts[$k] = ($counts[$k] ?? 0) + 1; }
ksort($counts);
echo count($counts), " ", md5(json_encode($counts)), "\n";
function squares($n) { for ($i = 0; $i < $n; $i++) yield $i => $i * $i; }
$s = 0; foreach (squares(1000) as $k => $v) $s += $k ^ $v;
echo $s, " ", preg_replace_callback('/\w+/', fn($m) => strrev($m[0]), "the cache line"), " ", sprintf("%.10f", sin(1)), "\n";
try { intdiv(1, 0); } catch (DivisionByZeroError $e) { fwrite(STDERR, $e->getMessage() . "\n"); }
echo hash("sha256", str_repeat("quern", 1000)), " ", serialize([1, "a" => 2.5]), "\n";
exit(3);
