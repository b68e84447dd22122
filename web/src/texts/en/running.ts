/** Texts about what runs in the environments. */
export const text = {
  title: 'Running artifacts',
  notApprovedTitle: 'Running artifacts that are not approved',
  caption: 'Running artifacts, those that are not approved first',
  columns: {
    artifact: 'Artifact',
    environment: 'Environment',
    state: 'State',
    since: 'Since',
    lastSeen: 'Last stated',
  },
  approved: 'Approved',
  notApproved: 'Not approved',
  notRequired: 'Not required',
  copy: (name: string) => `Copy the digest of ${name}`,
  hint: 'No gate was open for these artifacts. They stay here until they are gone.',
  notRequiredHint: 'An artifact that the policy does not require is not compared with the releases.',
  pages: 'Pages of the running artifacts',
  none: 'No running artifact was stated.',
  noneHint: 'State all of them after each deployment, for example with this command:',
  command: 'shipgate running --environment production NAME@sha256:…',
  failed: 'The running artifacts could not be loaded.',
};
