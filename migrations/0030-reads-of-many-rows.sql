-- What is for sale by name, with nothing between that was sold: the console's list begins at the first name.
create index listings_on_market on listings (environment, domain) where status = 'listed';

-- Every page of the console counts these few, which stand among many of their kind.
create index orders_action_required on orders (environment) where transfer_status = 'action_required';
create index brokerage_cases_unassigned on brokerage_cases (environment)
  where ended_at is null and assignee is null;
