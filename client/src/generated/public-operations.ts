// Made by `npm run client-types` from the OpenAPI documents of the service.

/** Where each operation is, by its name. */
export const OPERATIONS = {
  buy_domain: { method: 'POST', path: '/api/agent/orders' },
  change_domains: { method: 'POST', path: '/api/domains/bulk/{op}' },
  check_claims: { method: 'POST', path: '/api/domains/claims/check' },
  claim_domains: { method: 'POST', path: '/api/domains/claims' },
  create_checkout: { method: 'POST', path: '/api/agent/checkouts' },
  get_api_index: { method: 'GET', path: '/api' },
  get_operation: { method: 'GET', path: '/api/domains/operations/{operation_id}' },
  list_batch_operations: { method: 'GET', path: '/api/batch' },
  list_claims: { method: 'GET', path: '/api/domains/claims' },
  list_listings: { method: 'GET', path: '/api/market/listings' },
  list_my_domains: { method: 'GET', path: '/api/agent/domains' },
  list_seller_domains: { method: 'GET', path: '/api/domains/csv' },
  make_offer: { method: 'POST', path: '/api/agent/offers' },
  order_status: { method: 'GET', path: '/api/agent/orders/{id}' },
  quote_purchase: { method: 'POST', path: '/api/agent/quotes' },
  run_batch: { method: 'POST', path: '/api/batch' },
  search_domain: { method: 'POST', path: '/api/domain/search' },
  search_names: { method: 'GET', path: '/api/agent/names' },
  sell_domains: { method: 'POST', path: '/api/domains/csv' },
  tld_registration_price: { method: 'GET', path: '/api/pricing/tld' },
  tld_requirements: { method: 'GET', path: '/api/tlds/{tld}/metadata' },
  whois_lookup: { method: 'POST', path: '/api/tools/whois' },
} as const
