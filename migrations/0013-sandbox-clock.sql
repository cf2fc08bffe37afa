-- A partner may move the time of its sandbox: what is there becomes older (decision 27). The ledger lets
-- its times change, in the sandbox, and nothing else of it anywhere.

create or replace function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.environment = 'sandbox' then
    return old;
  end if;
  if tg_op = 'UPDATE' and old.environment = 'sandbox'
    and to_jsonb(new) - 'at' = to_jsonb(old) - 'at'
  then
    return new;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $$;

create or replace function ledger_entry_is_append_only() returns trigger language plpgsql as $$
begin
  -- Entries leave only with their transaction, which guards itself.
  if tg_op = 'DELETE' and not exists (
    select 1 from ledger_transactions where id = old.transaction_id
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' and to_jsonb(old) ->> 'environment' = 'sandbox'
    and to_jsonb(new) - array['payable_at', 'created_at']
      = to_jsonb(old) - array['payable_at', 'created_at']
  then
    return new;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $$;
