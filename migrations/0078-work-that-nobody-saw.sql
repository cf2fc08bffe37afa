-- Payments that were begun on a provider's page are asked about, whether their buyers come back or not.
update payments set due_at = updated_at + interval '1 hour'
where provider = 'stripe' and status = 'action_required' and provider_ref is not null and due_at is null;
