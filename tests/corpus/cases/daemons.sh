# daemons.sh - sessions with daemons: start, talk over loopback or a socket, TERM, and what they said.  For the table.
#
# Ports and sockets: a daemon listens on a socket in the working directory where it can; else on a port that depends on
# the process, so that two sessions at a time do not meet.

daemon_port() { echo $((20000 + $$ % 20000 + $1)); }

# up COMMAND...: until it succeeds; 1 after a minute.
up() {
    for _ in $(seq 600); do
        "$@" >/dev/null 2>&1 && return
        sleep 0.1
    done
    echo "does not answer: $*"
    return 1
}

# down: TERM to the daemon, then its status.
down() {
    kill -TERM "$(cat pid)"
    wait "$daemon"
    echo "status $?"
    rm -f pid
}

redis_session() {
    under redis-server --port 0 --unixsocket "$PWD/s" --daemonize no --save '' --pidfile "$PWD/pid" --logfile log --dir . &
    daemon=$!
    up redis-cli -s s ping && redis-cli -s s <<END
set a 1
incr a
lpush l x y z
lrange l 0 -1
zadd z 1 a 2 b
zrange z 0 -1 withscores
eval "local s = 0 for i = 1, 1000 do s = s + i end return s" 0
setrange big 100000 x
strlen big
bgsave
debug sleep 0
hset h f v
hgetall h
END
    up sh -c '[ -f dump.rdb ]'
    cp pid pid.copy 2>/dev/null || pgrep -f "$PWD/s" | tail -n 1 >pid
    down
    rm -f log dump.rdb pid.copy s
}

memcached_session() {
    under memcached -u "$(id -un)" -s "$PWD/s" -t 2 -P "$PWD/pid" &
    daemon=$!
    up test -S s && sleep 0.1 && perl -MIO::Socket::UNIX -e '
        my $s = IO::Socket::UNIX->new(Peer => "s") or die $!;
        sub ask { print $s $_[0]; while (<$s>) { print; last if /$_[1]/ } }
        for my $i (1 .. 200) { ask("set k$i 0 0 " . length($i * $i) . "\r\n" . $i * $i . "\r\n", $i == 7 ? "STORED" : "STORED") }
        ask("get k3 k14\r\n", "END"); ask("incr k3 5\r\n", "[0-9]"); ask("delete k3\r\n", "DELETED"); ask("get k3\r\n", "END");
    ' | sort | uniq -c
    pgrep -f "memcached.*$PWD/s" | head -n 1 >/dev/null
    down
    rm -f s
}

nginx_session() {
    mkdir -p html temp
    seq 20000 >html/numbers
    cat >conf <<END
daemon off; master_process on; worker_processes 1; pid $PWD/pid; error_log $PWD/error.log;
events { }
http { access_log off; client_body_temp_path temp; proxy_temp_path temp; fastcgi_temp_path temp; uwsgi_temp_path temp; scgi_temp_path temp;
    gzip on; gzip_types *; server { listen unix:$PWD/s; root $PWD/html; location /gone { return 410; } } }
END
    [ "$(id -u)" -eq 0 ] && sed -i "1s/^/user root; /" conf
    under nginx -p "$PWD" -c "$PWD/conf" &
    daemon=$!
    up curl -s --unix-socket s http://x/numbers && {
        curl -s --unix-socket s http://x/numbers | cksum
        curl -s --compressed --unix-socket s http://x/numbers | cksum
        curl -s --unix-socket s -r 100-150 http://x/numbers
        curl -s -o body -w '%{http_code}\n' --unix-socket s http://x/gone
        for _ in $(seq 20); do curl -s --unix-socket s http://x/numbers; done | md5sum
    }
    down
    rm -rf temp error.log s body conf
}

# PostgreSQL does not run as root: then as the user postgres, with a folder of that user.
postgresql_session() {
    bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
    as=
    where=$PWD
    [ "$(id -u)" -ne 0 ] || { as='setpriv --reuid=postgres --regid=postgres --clear-groups'; where=$(mktemp -d /tmp/qn-pg.XXXXXX); chown postgres "$where"; }
    cp -a "$kept/data" "$where/data"
    rm -f "$where/data/postmaster.pid"
    [ -z "$as" ] || chown -R postgres "$where"
    chmod 777 "$place/profiles" "$place/logs"
    (cd "$where" && under_all $as "$bin/postgres" -D "$where/data" -k "$where" -c listen_addresses= -c fsync=off -c shared_buffers=4MB -c autovacuum=off -c logging_collector=off) >log 2>&1 &
    daemon=$!
    up psql -h "$where" -U postgres -c 'select 1' postgres && psql -h "$where" -U postgres -At postgres <<END
create table a (id int primary key, k int, t text);
insert into a select i, i * 7919 % 1009, 'text ' || i from generate_series(1, 3000) i;
create index on a (k);
select count(*), sum(k), max(t) from a;
select k, count(*) from a group by k order by 2 desc, 1 limit 3;
select count(*) from a x join a y on x.k = y.k where x.id < y.id;
begin; delete from a where k < 500; rollback;
select md5(string_agg(t, ',' order by id)) from a where k = 17;
vacuum analyze a;
select * from missing;
END
    head -n 1 "$where/data/postmaster.pid" >pid
    down
    rm -rf "$where/data" log
    [ "$where" = "$PWD" ] || rm -rf "$where"
}

postgresql_data() {
    as=
    [ "$(id -u)" -ne 0 ] || { as='setpriv --reuid=postgres --regid=postgres --clear-groups'; mkdir -p data && chown postgres data; chmod 755 . ..; }
    where=$(mktemp -d /tmp/qn-pg.XXXXXX)
    chmod 777 "$where"
    $as "$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)/initdb" -D "$where/data" -U postgres -A trust --no-sync --locale=C -E UTF8 >initdb.log 2>&1 &&
        rm -rf data && cp -a "$where/data" data && rm -rf "$where"
}

git_daemon_session() {
    mkdir r && git init -q -b main r/a && (cd r/a && seq 99 >f && git add f && git -c user.name=a -c user.email=b commit -qm one --date=2020-01-01T00:00:00Z)
    port=$(daemon_port 1)
    under git daemon --reuseaddr --listen=127.0.0.1 --port="$port" --export-all --base-path="$PWD/r" --pid-file="$PWD/pid" "$PWD/r" 2>log &
    daemon=$!
    up git ls-remote "git://127.0.0.1:$port/a" && git clone -q "git://127.0.0.1:$port/a" b && cksum b/f
    down
    rm -rf r b log
}
