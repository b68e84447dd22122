/** The introduction of the document. Empty lines separate the paragraphs. */
export const INTRODUCTION = `
Shipgate governs releases of software on GitHub. CI uploads evidence for a release, the service opens an evidence pull request, a reviewer approves it there, and the deploy gate answers CI whether the release may be deployed.

The workspace of a request is that of its credential: a GitHub organization. No path, query or body selects another workspace, and objects of other workspaces answer 404. A session selects one of the workspaces of its user, for all tabs of a browser. A request with \`X-Workspace\` answers 409 if the session works in another workspace.

Every error is \`{"error": "…"}\` with a sentence for users; programs should use the status and, where it has several causes, the header \`X-Error-Code\`. Every response has \`X-Request-Id\`, which identifies the request in the log of the service. A path that is not listed here answers 404.

Bodies are JSON in UTF-8 with at most 64 levels, and may be sent with \`Content-Encoding: gzip\`. Unknown members are rejected, and values are not converted: \`"1"\` is not a number.
`.trim();

/** The groups of operations, in the order of the document. */
export const TAGS: Readonly<Record<string, string>> = {
  'sign-in': 'Sign-in with GitHub, and the selection of a workspace.',
  team: 'Members and invites of a workspace.',
  evidence: 'Evidence that CI uploads for releases.',
  milestones: 'Releases, each of which is a GitHub milestone, and the deploy gate.',
  projects: 'Groups of repositories that are released together.',
  reviews: 'Evidence pull requests that wait for approvals.',
  history: 'Deployments to the targets of the workspace, with their approvals.',
  quality: 'Scorecards of releases, and their changes.',
  overrides: 'Freezes, waivers and break-glass requests.',
  events: 'Changes in a workspace, as server-sent events.',
  repositories: 'The set-up of repositories and the enforcement of their policy.',
  policy: 'The schema and the check of `sdlc.yaml`.',
  keys: 'API keys of CI systems, and personal keys for tools.',
  cli: 'The command-line tool of this version, for CI systems that reach only this service.',
  tools: 'Remote tools for editors and assistants, which act as a member.',
  billing: 'The plan of a workspace, and upgrade requests.',
  platform: 'Decisions of platform admins about plans.',
  configuration: 'The first-run set-up, and the installation of the GitHub App.',
  audit: 'The audit log, audit packs and signing keys.',
  sync: 'The synchronization of a workspace with GitHub.',
  webhook: 'Webhooks of GitHub.',
  operation: 'Health, metrics and diagnostics of the service.',
  documentation: 'This description.',
};
