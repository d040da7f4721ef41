# data.sh - compressors, digests, databases, version control.

for packer in gzip bzip2 xz zstd; do
    entry $packer 'fast full' $packer 'compress and restore'
done
packer_data() { byte_file "bytes.$(size 1 3)" "$(size 1 3)"; }
# round_trip COMMAND LEVEL...: compress, restore, compare
round_trip() {
    under "$@" <"$DATA/bytes.$(size 1 3)" >packed && under "$1" -d <packed >restored &&
        cmp restored "$DATA/bytes.$(size 1 3)"
}
gzip_prepare() { packer_data; }
gzip_run() { round_trip gzip -9n; }
bzip2_prepare() { packer_data; }
bzip2_run() { round_trip bzip2 -9; }
xz_prepare() { packer_data; }
xz_run() { round_trip xz -T1 "-$(size 2 6)"; }
zstd_prepare() { packer_data; }
zstd_run() { round_trip zstd -q --single-thread "-$(size 6 11)"; }

entry xz_threads 'fast full' xz 'xz with two threads'
xz_threads_prepare() { packer_data; }
xz_threads_run() { round_trip xz -T2 --block-size=300000 "-$(size 2 6)"; }

entry zstd_threads 'fast full' zstd 'zstd with two threads'
zstd_threads_prepare() { packer_data; }
zstd_threads_run() { round_trip zstd -q -T2 -B300000 "-$(size 6 11)"; }

entry openssl 'fast full' openssl 'digests (AVX2, AVX-512 or SHA instructions)'
openssl_prepare() {
    [ -f "same.$(size 4 100)" ] || head -c "$(size 4 100)000000" /dev/zero | tr '\0' q >"same.$(size 4 100)"
}
openssl_run() {
    for digest in sha256 sha512 sha1 md5 sha3-256; do
        under openssl dgst -$digest <"$DATA/same.$(size 4 100)" || return
    done
}

entry openssl_cipher 'fast full' openssl 'ciphers there and back'
openssl_cipher_prepare() { openssl_prepare; }
openssl_cipher_run() {
    key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff
    for cipher in aes-256-ctr aes-128-cbc chacha20; do
        under openssl enc -$cipher -K "$key" -iv 000102030405060708090a0b0c0d0e0f \
            <"$DATA/same.$(size 4 100)" 2>"err.$cipher" | sha256sum
        cat "err.$cipher" >&2
    done
}

entry coreutils_sums 'fast full' 'sha256sum cksum b2sum' 'digests of coreutils'
coreutils_sums_prepare() { openssl_prepare; }
coreutils_sums_run() { for sum in sha256sum cksum b2sum md5sum; do under $sum <"$DATA/same.$(size 4 100)"; done; }

entry sqlite3 'fast full' sqlite3 'inserts, an index, joins'
sqlite3_run() {
    cat >in.sql <<END
create table a (id integer primary key, k integer, t text);
create table b (k integer, v real);
begin;
with recursive n(i) as (select 1 union all select i + 1 from n where i < $(size 20000 100000))
insert into a select i, (i * 7919) % 1009, 'row ' || i from n;
with recursive n(i) as (select 1 union all select i + 1 from n where i < 1009)
insert into b select i, i / 3.0 from n;
commit;
create index a_k on a (k);
select count(*), sum(v), min(t), max(t) from a join b on a.k = b.k where a.id % 3 = 0;
select k, count(*) c, group_concat(substr(t, 5)) from a where id < 3000 group by k order by c desc, k limit 3;
update a set t = upper(t) where k between 10 and 40;
delete from a where k > 990;
select count(*), sum(length(t)) from a;
select nothing from nowhere;
pragma integrity_check;
END
    under sqlite3 test.db <in.sql
}

entry git 'fast full' git 'git clone of a local repository, log, fsck, gc'
git_prepare() {
    [ -d repository ] && return
    git init -q -b main repository && cd repository || return
    git config user.name Quern && git config user.email quern@example.org && git config gc.auto 0
    for i in $(seq "$(size 8 60)"); do
        when="2024-01-01T00:00:$((i % 60))Z"
        mkdir -p "d$((i % 5))" && text_file "d$((i % 5))/f$i" $((i * 10)) && git add . &&
            GIT_AUTHOR_DATE=$when GIT_COMMITTER_DATE=$when git commit -qm "change $i" || return
    done
}
git_run() {
    under git clone --no-hardlinks "$DATA/repository" clone && under git -C clone log --stat -n 5 &&
        under git -C clone fsck --strict && rm -rf clone
}

entry git_all 'fast full' git 'git clone over its own protocol, children profiled'
git_all_prepare() { git_prepare; }
git_all_run() {
    under_all git clone -q --no-local "$DATA/repository" clone && git -C clone rev-parse HEAD && rm -rf clone
}
