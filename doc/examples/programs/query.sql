-- 5000 rows, an index, a join and a sum.
create table part(id integer primary key, kind integer, price integer);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
  insert into part select i, (i * 7919) % 101, (i * 104729) % 10007 from n;
create index by_kind on part(kind);
select a.kind, count(*), sum(b.price) from part a join part b on a.kind = b.kind and a.id = b.id + 101 group by a.kind limit 5;
