/** Texts of the first steps in an empty workspace. */
export const text = {
  title: 'First steps',
  lead: 'What makes a release appear here, and keeps its deployment behind the gate.',
  failed: 'The state of the first steps could not be loaded.',
  states: { done: 'Done', waiting: 'Waits for the merge', next: 'Next', todo: 'Not done' },
  steps: {
    install: {
      name: 'Install the GitHub App',
      hint: 'In the organization on GitHub, with access to the repositories that you release.',
      action: 'Install on GitHub',
    },
    repository: {
      name: 'Set up a repository',
      hint: 'One pull request adds the policy and the workflows. Its merge sets the repository up.',
      action: 'Choose a repository',
    },
    upload: {
      name: 'Upload the first evidence',
      hint: 'CI uploads its reports for a release. A release starts with a milestone on GitHub whose title is a version, for example v1.4.0.',
      action: 'Show the lines for CI',
    },
    protect: {
      name: 'Protect the branches',
      hint: 'Rulesets on GitHub keep the branches of releases behind pull requests. They follow the merge of the set-up.',
      action: 'Show the protection',
    },
    invite: {
      name: 'Invite your team',
      hint: 'A second admin confirms overrides. An auditor reads the audit log.',
      action: 'Invite',
    },
  },
} as const;
