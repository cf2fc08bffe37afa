export const OAUTH_SCOPE = 'pricing:read'
