-- sqlite3.sql: inserts, an index, a join, groups, an update, a scan; bench.sh puts a number for ROWS.
create table a (id integer primary key, k integer, t text);
create table b (k integer, v real);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < ROWS)
insert into a select i, (i * 7919) % 10007, 'row number ' || i from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 10007)
insert into b select i, i / 3.0 from n;
commit;
create index a_k on a (k);
select count(*), sum(v), min(t), max(t) from a join b on a.k = b.k where a.id % 3 = 0;
select k, count(*) c, sum(length(t)) from a group by k order by c desc, k limit 3;
update a set t = upper(t) where k between 10 and 400;
select count(*) from a where t like '%NUMBER 9%';
