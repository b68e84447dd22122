/** What a reader of the document has to know before its first operation; paragraphs are divided by empty lines. */
export const INTRODUCTION = `
Shipgate governs the releases of software on GitHub. CI uploads evidence for a release, the service opens an evidence pull request, a reviewer approves it there, and the deploy gate tells CI whether the release may be deployed.

The workspace of a request is the one of its credential: an organization on GitHub. Nothing in a path, a query or a body selects another one, and what belongs to another one is answered as if it did not exist.

Every failure is \`{"error": "…"}\` with a sentence for people; programs go by the status. Every answer carries \`X-Request-Id\`, which names the request in the log of the service. A path that is not listed here is answered 404.

Bodies are JSON in UTF-8, at most 64 levels deep, and may be sent with \`Content-Encoding: gzip\`. A member that the schema does not name is refused, and nothing is converted: \`"1"\` is no number.
`.trim();

/** The parts of the interface, in the order in which a newcomer meets them. */
export const TAGS: Readonly<Record<string, string>> = {
  'sign-in': 'People, by their account on GitHub, and the workspace that they work in.',
  team: 'Who belongs to a workspace, and who is invited.',
  evidence: 'What CI runs tell of a release.',
  milestones: 'Releases, each of which is a milestone on GitHub, and the deploy gate.',
  projects: 'Releases of several repositories that belong together.',
  reviews: 'Evidence pull requests that wait for approvals, and who may give them.',
  history: 'What was deployed to the targets of the workspace, and on whose approval.',
  quality: 'How good releases are by their evidence, and how that changed.',
  overrides: 'Freezes of a workspace, and what two admins set aside of a release.',
  events: 'What changes in a workspace, as it changes.',
  repositories: 'How repositories are brought under governance, and kept there.',
  policy: 'What `sdlc.yaml` may say.',
  keys: 'The keys of CI systems, and those that people give their own tools.',
  tools: 'What editors and assistants may ask in the name of a person.',
  billing: 'The plan of a workspace, and the request for a larger one.',
  platform: 'What platform admins decide about the plans of workspaces.',
  configuration: 'The first run, and what belongs to the installation of the GitHub App.',
  audit: 'What people did to members, keys and the plan of their workspace.',
  sync: 'How far a workspace is in line with GitHub.',
  webhook: 'What GitHub tells of itself.',
  operation: 'How the service is, for those who run it.',
  pages: 'What people see in a browser.',
  documentation: 'This description.',
};
