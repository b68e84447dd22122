/**
 * Every route of the service and who may call it: `public`, `session` with the least role, or `ci` with the scope of
 * an API key. A change of access is a change of this table, and is seen as such by whoever reviews it.
 */
export const ACCESS_TABLE: Readonly<Record<string, string>> = {
  'GET /api/config/manifest-callback': 'public',
  'GET /api/config/manifest-start': 'public',
  'GET /api/config/status': 'public',
  'GET /api/auth/callback': 'public',
  'GET /api/auth/login': 'public',
  'GET /api/auth/me': 'session person',
  'GET /api/auth/workspaces': 'session person',
  'POST /api/auth/logout': 'session person',
  'POST /api/auth/workspace': 'session person',
  'GET /api/docs': 'public',
  'GET /manifest-callback': 'public',
  'GET /manifest-start': 'public',
  'POST /api/config/manifest-callback': 'public',
  'POST /api/config/manifest-start': 'public',
  'POST /api/config/setup': 'public',
  'POST /api/evidence/upload': 'ci evidence:write',
  'GET /api/health': 'public',
  'GET /api/health/ready': 'public',
  'GET /api/milestones/check': 'ci gate:read',
  'GET /api/openapi.json': 'public',
  'GET /api/schemas/sdlc.v1.json': 'public',
  'POST /api/webhook': 'public',
  'GET /metrics': 'public',
  'POST /manifest-callback': 'public',
  'POST /manifest-start': 'public',
  'POST /setup': 'public',
  'PUT /setup': 'public',
};
