/**
 * Every route of the service and who may call it: `public`, `session` with the least role, or `ci` with the scope of
 * an API key. A change of access is a change of this table, and is seen as such by whoever reviews it.
 */
export const ACCESS_TABLE: Readonly<Record<string, string>> = {
  'GET /api/docs': 'public',
  'POST /api/evidence/upload': 'ci evidence:write',
  'GET /api/health': 'public',
  'GET /api/health/ready': 'public',
  'GET /api/milestones/check': 'ci gate:read',
  'GET /api/openapi.json': 'public',
  'GET /api/schemas/sdlc.v1.json': 'public',
  'POST /api/webhook': 'public',
  'GET /metrics': 'public',
};
