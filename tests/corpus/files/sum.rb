# sum.rb - numbers, strings, hashes, blocks, big integers, exceptions, fibers, threads.
x = 1
counts = Hash.new(0)
20000.times { x = x * 16807 % 2147483647; counts[x % 997] += 1 }
puts counts.size, counts.sort_by { |k, v| [-v, k] }.first(3).inspect
puts (1..60).inject(:*).to_s, "the cache line".gsub(/[aeiou]/) { |c| c.upcase }
f = Fiber.new { 100.times { |i| Fiber.yield i * i } }
puts 100.times.sum { f.resume }
puts 4.times.map { |i| Thread.new { (1..200).inject(:+) * i } }.map(&:value).inspect
begin
  nil.missing
rescue NoMethodError => e
  warn e.class
end
pid = fork { exit 7 }
Process.wait pid
puts $?.exitstatus, IO.popen("echo child").read
trap("USR1") { puts "trapped" }
Process.kill("USR1", $$)
sleep 0.01
GC.start
puts [3, 1, 2].sort.pack("C*").unpack1("H*"), Math.sqrt(2), 10.0 / 3
exit 6
