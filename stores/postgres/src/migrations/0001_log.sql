-- Up Migration

-- The log of sessions. A program calls only the functions: each is one statement, so it works behind a pooler that
-- gives a connection to a transaction. Each function names the tenant for the row-level security of its transaction.

-- One row per session: its head and its lease. Only the key is indexed, so an append updates no index.
create table tidemark.sessions (
  tenant text not null,
  session text not null,
  -- Position of the first own record: after the last record that a fork shares with its parent.
  start bigint not null,
  -- Number of records, ancestors included, and the chain value after the last one.
  length bigint not null,
  chain text not null,
  -- Size of the own records in bytes, newlines included.
  size bigint not null default 0,
  -- Number of records that a writer has checked or written. The next writer checks only the rest.
  checked bigint not null,
  -- Number of the last writer. Only this writer can append.
  fence bigint not null default 0,
  -- Writer that holds the session, and the end of its lease by the clock of the database.
  owner text,
  lease_until timestamptz,
  changed_at timestamptz not null default clock_timestamp(),
  primary key (tenant, session)
) with (fillfactor = 50);

-- One row per record. `line` has the bytes of the line in a log file, newline included, and `at_byte` is its offset.
create table tidemark.records (
  tenant text not null,
  session text not null,
  position bigint not null,
  at_byte bigint not null,
  line bytea not null,
  primary key (tenant, session, position)
) partition by hash (session);

do $$
begin
  for number in 0..15 loop
    execute format('create table tidemark.records_%s partition of tidemark.records for values with (modulus 16, remainder %s)', number, number);
  end loop;
end $$;

-- Derived texts that the sessions of a tenant share.
create table tidemark.shared_texts (
  tenant text not null,
  name text not null,
  text text not null,
  primary key (tenant, name)
);

-- Takes the lease of a session. `created_at` and `created_chain` are the end of the parent's records for a new session,
-- and null for a session that exists. A repeated call of the same owner changes nothing.
create function tidemark.take_session(
  p_tenant text, p_session text, p_owner text, p_lease_ms integer, p_created_at bigint, p_created_chain text
) returns table (outcome text, start bigint, length bigint, chain text, size bigint, checked bigint, fence bigint)
language plpgsql as $$
#variable_conflict use_column
declare
  held tidemark.sessions%rowtype;
  result text := 'taken';
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  if p_created_at is not null then
    insert into tidemark.sessions (tenant, session, start, length, chain, checked)
      values (p_tenant, p_session, p_created_at, p_created_at, p_created_chain, p_created_at)
      on conflict do nothing;
  end if;
  select * into held from tidemark.sessions where tenant = p_tenant and session = p_session for update;
  if not found then
    result := 'missing';
  elsif held.owner = p_owner then
    result := 'taken';
  elsif p_created_at is not null and held.size > 0 then
    result := 'exists';
  elsif p_created_at is null and held.size = 0 then
    result := 'missing';
  elsif held.owner is not null and held.lease_until > clock_timestamp() then
    result := 'locked';
  else
    update tidemark.sessions set
      fence = sessions.fence + 1, owner = p_owner,
      lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0),
      start = coalesce(p_created_at, sessions.start), length = coalesce(p_created_at, sessions.length),
      chain = coalesce(p_created_chain, sessions.chain), checked = coalesce(p_created_at, sessions.checked)
      where tenant = p_tenant and session = p_session
      returning * into held;
  end if;
  return query select result, held.start, held.length, held.chain, held.size, held.checked, held.fence;
end $$;

-- Appends lines if the fence and the length are as the writer expects, and renews its lease. The records are visible at
-- once, and on stable storage after `flush_session`. It returns one value and assigns settings, because a row as the
-- result and a statement for each setting would cost a third of the call.
create function tidemark.append_records(
  p_tenant text, p_session text, p_fence bigint, p_expected bigint, p_chain text, p_lease_ms integer,
  p_sizes integer[], p_lines bytea
) returns boolean
language plpgsql as $$
declare
  added constant integer := cardinality(p_sizes);
  added_bytes constant bigint := octet_length(p_lines);
  now_time constant timestamptz := clock_timestamp();
  setting text;
  offset_after bigint;
begin
  setting := set_config('tidemark.tenant', p_tenant, true);
  setting := set_config('synchronous_commit', 'off', true);
  update tidemark.sessions set
    length = p_expected + added, chain = p_chain, size = size + added_bytes, checked = p_expected + added,
    changed_at = now_time, lease_until = now_time + p_lease_ms * interval '1 ms'
    where tenant = p_tenant and session = p_session and fence = p_fence and length = p_expected
    returning size into offset_after;
  if offset_after is null then
    return false;
  elsif added = 1 then
    insert into tidemark.records values (p_tenant, p_session, p_expected, offset_after - added_bytes, p_lines);
  else
    insert into tidemark.records
      select p_tenant, p_session, p_expected + n - 1, offset_after - added_bytes + total - bytes,
        substring(p_lines from (total - bytes + 1)::integer for bytes)
      from (
        select n, bytes, sum(bytes) over (order by n) as total from unnest(p_sizes) with ordinality as u (bytes, n)
      ) each;
  end if;
  return true;
end $$;

-- Renews the lease with a commit that waits for stable storage. The write-ahead log is written in order, so all records
-- that were appended before are on stable storage too. Returns false if the head is not the expected one.
create function tidemark.flush_session(
  p_tenant text, p_session text, p_fence bigint, p_length bigint, p_lease_ms integer
) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.sessions set lease_until = clock_timestamp() + p_lease_ms * interval '1 ms'
    where tenant = p_tenant and session = p_session and fence = p_fence and length = p_length;
  return found;
end $$;

-- Returns the head of a session, for a writer whose append or flush was refused.
create function tidemark.head_of(p_tenant text, p_session text)
returns table (length bigint, chain text, fence bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select length, chain, fence from tidemark.sessions where tenant = p_tenant and session = p_session;
end $$;

-- Ends the lease of a writer. The commit waits for stable storage.
create function tidemark.release_session(p_tenant text, p_session text, p_fence bigint, p_owner text) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  delete from tidemark.sessions where tenant = p_tenant and session = p_session and owner = p_owner and size = 0;
  if found then return true; end if;
  update tidemark.sessions set owner = null, lease_until = null
    where tenant = p_tenant and session = p_session and fence = p_fence and owner = p_owner;
  return found;
end $$;

-- Renews the leases of the writers of one process, and returns the sessions whose lease it still holds.
create function tidemark.renew_leases(p_tenant text, p_sessions text[], p_owners text[], p_lease_ms integer)
returns table (session text)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  return query update tidemark.sessions s set lease_until = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    from unnest(p_sessions, p_owners) as held (session, owner)
    where s.tenant = p_tenant and s.session = held.session and s.owner = held.owner
    returning s.session;
end $$;

-- Returns the bytes of records in order, up to about `p_bytes`, their offset, and the position after the last of them.
create function tidemark.read_records(p_tenant text, p_session text, p_from bigint, p_to bigint, p_bytes integer)
returns table (next bigint, at_byte bigint, lines bytea)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query
    select max(position) + 1, min(at_byte), string_agg(line, ''::bytea order by position)
    from (
      select position, at_byte, line, first_value(at_byte) over (order by position) as first
      from (
        select position, at_byte, line from tidemark.records
        where tenant = p_tenant and session = p_session and position >= p_from and position < p_to
        order by position limit 1000
      ) near
    ) each
    where at_byte < first + p_bytes
    having count(*) > 0;
end $$;

-- Removes the records from a position on, after the last sound record, and moves the head back.
create function tidemark.cut_records(
  p_tenant text, p_session text, p_fence bigint, p_length bigint, p_chain text, p_size bigint
) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  update tidemark.sessions set length = p_length, chain = p_chain, size = p_size, checked = p_length
    where tenant = p_tenant and session = p_session and fence = p_fence;
  if not found then return false; end if;
  delete from tidemark.records where tenant = p_tenant and session = p_session and position >= p_length;
  return true;
end $$;

-- Returns true while a writer holds the session.
create function tidemark.is_open(p_tenant text, p_session text) returns boolean
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return exists (
    select from tidemark.sessions
    where tenant = p_tenant and session = p_session and owner is not null and lease_until > clock_timestamp()
  );
end $$;

-- Returns the heads of sessions that have a record.
create function tidemark.heads_of(p_tenant text, p_sessions text[])
returns table (session text, start bigint, length bigint, chain text, size bigint)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select session, start, length, chain, size from tidemark.sessions
    where tenant = p_tenant and session = any (p_sessions) and size > 0;
end $$;

-- Returns the first records of the sessions after a name, in order of their names.
create function tidemark.first_records(p_tenant text, p_after text, p_most integer)
returns table (session text, size bigint, changed_ms bigint, line bytea)
language plpgsql as $$
#variable_conflict use_column
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return query select s.session, s.size, (extract(epoch from s.changed_at) * 1000)::bigint, r.line
    from (
      select session, start, size, changed_at from tidemark.sessions
      where tenant = p_tenant and session > p_after and size > 0 order by session limit p_most
    ) s
    left join tidemark.records r on r.tenant = p_tenant and r.session = s.session and r.position = s.start
    order by s.session;
end $$;

create function tidemark.get_shared_text(p_tenant text, p_name text) returns text
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true);
  return (select text from tidemark.shared_texts where tenant = p_tenant and name = p_name);
end $$;

create function tidemark.put_shared_text(p_tenant text, p_name text, p_text text) returns void
language plpgsql as $$
begin
  perform set_config('tidemark.tenant', p_tenant, true), set_config('synchronous_commit', 'off', true);
  insert into tidemark.shared_texts values (p_tenant, p_name, p_text) on conflict (tenant, name) do update set text = p_text;
end $$;

-- Down Migration

drop function tidemark.take_session, tidemark.append_records, tidemark.flush_session, tidemark.head_of, tidemark.release_session, tidemark.renew_leases, tidemark.read_records, tidemark.cut_records, tidemark.is_open, tidemark.heads_of, tidemark.first_records, tidemark.get_shared_text, tidemark.put_shared_text;
drop table tidemark.shared_texts, tidemark.records, tidemark.sessions;
