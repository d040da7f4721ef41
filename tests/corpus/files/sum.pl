# sum.pl - hashes, regular expressions, closures, sorting, fork, signals, big integers, eval.
use strict; use warnings; use Math::BigInt; use Digest::MD5 qw(md5_hex); use POSIX ();
my ($x, %counts) = (1);
for (1 .. 20000) { $x = $x * 16807 % 2147483647; $counts{$x % 1009}++ }
print scalar(keys %counts), " ", join(",", (sort { $counts{$b} <=> $counts{$a} || $a <=> $b } keys %counts)[0 .. 4]), "\n";
my $text = join " ", map { chr(97 + $_ % 26) x ($_ % 5 + 1) } 1 .. 500;
(my $copy = $text) =~ s/(\w)\1+/<$1>/g;
print md5_hex($copy), " ", Math::BigInt->new(2)->bpow(200), "\n";
local $SIG{USR1} = sub { print "trapped\n" };
kill USR1 => $$;
$| = 1;
my $pid = fork;
if (!$pid) { POSIX::_exit(9) }
waitpid $pid, 0;
print $? >> 8, " ", `echo from a child`;
local $SIG{ALRM} = sub { die "alarm\n" };
alarm 1; eval { select undef, undef, undef, 5 }; print "eval: $@";
eval { my $z = 0; 1 / $z }; print STDERR "caught: $@";
exit 7;
