-- Payments that were begun on a provider's page are asked about, whether their buyers come back or not.
update payments set due_at = updated_at + interval '1 hour'
where provider = 'stripe' and status = 'action_required' and provider_ref is not null and due_at is null;
-- A renewal that an operator has not performed within three days has failed.
update registrar_operations set due_at = created_at + interval '3 days'
where op = 'renew' and status = 'queued' and attempts > 0 and error is null and due_at is null and finished_at is null;
-- The overview counts what was renewed and could not be captured.
create index charges_uncaptured on charges (id) where status = 'failed' and capture_cents > 0;
