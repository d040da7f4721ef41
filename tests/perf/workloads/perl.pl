# perl.pl N: hashes, regular expressions, string building, sorting.
use strict;
use warnings;

my ($n, $x, %h, @a) = (shift, 1);
for my $i (1 .. $n) {
    $x = ($x * 16807) % 2147483647;
    $h{$x % 5000} .= chr(97 + $x % 26);
    push @a, $x if $x % 8 == 0;
}
my $text = join ",", map { "$_=$h{$_}" } sort { $a <=> $b } keys %h;
my $count = () = $text =~ /([a-z])([a-z])\1/g;
(my $turned = $text) =~ s/(\d+)=([a-z]{3})/$2$1/g;
@a = sort { $a <=> $b } @a;
print "$count ", length $turned, " $a[0] $a[-1]\n";
