/**
 * What every route answers to every caller of `access-callers.ts`, who sends what `access-requests.ts` makes: a request that
 * is granted to whoever may. An outsider names what is of another workspace than the one that they work in, so where a
 * route takes an id it is 404, and where it takes none it speaks of their own.
 */
export const ACCESS_ANSWERS = `
  route                                            nobody  outsider  member  admin  platform  narrow-key  key  token  tools
  GET /                                            200     200       200     200    200       200         200  200    200
  GET /api/audit                                   401     200       403     200    403       401         401  401    401
  GET /api/auth/callback                           400     400       400     400    400       400         400  400    400
  GET /api/auth/login                              302     302       302     302    302       302         302  302    302
  POST /api/auth/logout                            401     204       204     204    204       401         401  401    401
  GET /api/auth/me                                 401     200       200     200    200       401         401  401    401
  POST /api/auth/workspace                         401     403       200     200    403       401         401  401    401
  GET /api/auth/workspaces                         401     200       200     200    200       401         401  401    401
  GET /api/billing                                 401     200       200     200    403       401         401  401    401
  POST /api/billing/upgrade-requests               401     201       403     201    403       401         401  401    401
  DELETE /api/billing/upgrade-requests/:id         401     404       403     204    403       401         401  401    401
  GET /api/config/install/callback                 400     400       400     400    400       400         400  400    400
  GET /api/config/manifest-callback                410     410       410     410    410       410         410  410    410
  POST /api/config/manifest-callback               410     410       410     410    410       410         410  410    410
  GET /api/config/manifest-start                   410     410       410     410    410       410         410  410    410
  POST /api/config/manifest-start                  410     410       410     410    410       410         410  410    410
  GET /api/config/repo-warnings                    401     200       200     200    403       401         401  401    401
  POST /api/config/setup                           409     409       409     409    409       409         409  409    409
  GET /api/config/status                           200     200       200     200    200       200         200  200    200
  GET /api/dashboard                               401     200       200     200    403       401         401  401    401
  GET /api/debug                                   401     200       403     200    403       401         401  401    401
  GET /api/docs                                    200     200       200     200    200       200         200  200    200
  GET /api/events                                  401     200       200     200    403       401         401  401    401
  POST /api/evidence/upload                        401     401       401     401    401       403         201  201    401
  GET /api/freezes                                 401     200       200     200    403       401         401  401    401
  POST /api/freezes                                401     201       403     201    403       401         401  401    401
  DELETE /api/freezes/:id                          401     404       403     204    403       401         401  401    401
  GET /api/health                                  200     200       200     200    200       200         200  200    200
  GET /api/health/ready                            200     200       200     200    200       200         200  200    200
  GET /api/milestones/:owner/:repo                 401     404       200     200    403       401         401  401    401
  GET /api/milestones/check                        401     401       401     401    401       403         200  200    401
  GET /api/milestones/:id/waivers                  401     404       200     200    403       401         401  401    401
  POST /api/milestones/:id/waivers                 401     404       403     201    403       401         401  401    401
  POST /api/milestones/:id/waivers/:waiverId/confirm  401     404       403     200    403       401         401  401    401
  DELETE /api/milestones/:id/waivers/:waiverId     401     404       403     204    403       401         401  401    401
  GET /api/milestones/:id/break-glass              401     404       200     200    403       401         401  401    401
  POST /api/milestones/:id/break-glass             401     404       403     201    403       401         401  401    401
  POST /api/milestones/:id/break-glass/confirm     401     404       403     200    403       401         401  401    401
  POST /api/milestones/:id/break-glass/:requestId/confirm  401     404       403     200    403       401         401  401    401
  DELETE /api/milestones/:id/break-glass/:requestId  401     404       403     204    403       401         401  401    401
  GET /api/milestones/:id/decisions                401     404       200     200    403       401         401  401    401
  GET /api/milestones/:id/decisions/:decisionId    401     404       200     200    403       401         401  401    401
  GET /api/milestones/:id/decisions/:decisionId/replay  401     404       200     200    403       401         401  401    401
  GET /api/openapi.json                            200     200       200     200    200       200         200  200    200
  GET /api/platform/upgrade-requests               401     403       403     403    200       401         401  401    401
  POST /api/platform/upgrade-requests/:id/approve  401     403       403     403    200       401         401  401    401
  POST /api/platform/upgrade-requests/:id/reject   401     403       403     403    200       401         401  401    401
  POST /api/platform/workspaces/:org/downgrade     401     403       403     403    200       401         401  401    401
  GET /api/policy/check                            401     401       401     401    401       403         200  200    401
  GET /api/repos                                   401     200       200     200    403       401         401  401    401
  POST /api/repos/:repoId/bootstrap                401     404       403     201    403       401         401  401    401
  POST /api/repos/:repoId/configure-rulesets       401     404       403     202    403       401         401  401    401
  GET /api/repos/:repoId/workflow-update-status    401     404       200     200    403       401         401  401    401
  POST /api/repos/:repoId/workflow-update-pr       401     404       403     201    403       401         401  401    401
  GET /api/schemas/sdlc.v1.json                    200     200       200     200    200       200         200  200    200
  GET /api/settings/api-keys                       401     200       200     200    403       401         401  401    401
  POST /api/settings/api-keys                      401     201       403     201    403       401         401  401    401
  DELETE /api/settings/api-keys/:id                401     404       403     204    403       401         401  401    401
  GET /api/settings/mcp-keys                       401     200       200     200    403       401         401  401    401
  POST /api/settings/mcp-keys                      401     201       201     201    403       401         401  401    401
  DELETE /api/settings/mcp-keys/:id                401     404       204     204    403       401         401  401    401
  GET /api/sync                                    401     200       200     200    403       401         401  401    401
  POST /api/sync                                   401     202       202     202    403       401         401  401    401
  GET /api/team                                    401     200       200     200    403       401         401  401    401
  POST /api/team/invites                           401     201       403     201    403       401         401  401    401
  DELETE /api/team/invites/:id                     401     404       403     204    403       401         401  401    401
  POST /api/team/invites/accept                    401     403       409     409    403       401         401  401    401
  DELETE /api/team/members/:userId                 401     404       403     204    403       401         401  401    401
  PATCH /api/team/members/:userId                  401     404       403     200    403       401         401  401    401
  POST /api/webhook                                202     202       202     202    202       202         202  202    202
  GET /assets/:name                                200     200       200     200    200       200         200  200    200
  GET /invite                                      200     200       200     200    200       200         200  200    200
  GET /manifest-callback                           410     410       410     410    410       410         410  410    410
  POST /manifest-callback                          410     410       410     410    410       410         410  410    410
  GET /manifest-start                              410     410       410     410    410       410         410  410    410
  POST /manifest-start                             410     410       410     410    410       410         410  410    410
  GET /metrics                                     404     404       404     404    404       404         404  404    404
  POST /setup                                      410     410       410     410    410       410         410  410    410
  PUT /setup                                       410     410       410     410    410       410         410  410    410
`;
