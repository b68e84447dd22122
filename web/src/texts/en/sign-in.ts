/** Texts of the sign-in. */
export const text = {
  title: 'Sign in',
  lead: 'Shipgate collects the evidence of a release, has it reviewed on GitHub, and decides whether the release may be deployed.',
  button: 'Sign in with GitHub',
  /** Sentences for the codes of failed sign-ins and installations. */
  notices: {
    code_rejected: 'GitHub rejected the code of this sign-in. Sign in again.',
    denied: 'You did not authorize the app. To try again, sign in.',
    expired: 'This sign-in was not started in this browser, is over, or took longer than 10 minutes. Sign in again.',
    failed: 'Something went wrong. Try again.',
    github_rejected: 'GitHub rejected the sign-in. Try again.',
    github_unavailable: 'GitHub does not answer now. Try again soon.',
    installation_requested: 'GitHub sent your request to the owners of the organization.',
    installation_not_found: 'None of your organizations has this installation of the app.',
    invalid: 'The address is not complete. Start again.',
    not_an_owner: 'Only an owner of the organization can connect it. Ask an owner to connect it, or for an invite.',
    owns_no_organization:
      'You own no organization on GitHub, and only an owner can connect one. Ask an owner to connect it, or for an invite.',
    personal_account: 'The app is installed in your own account. Install it in an organization.',
    rate_limited: 'There were too many requests. Try again in a minute.',
    unavailable: 'The service is not available now. Try again soon.',
  } as Readonly<Record<string, string>>,
  who: 'Owners of an organization that has installed the app become its admins. Other users need an invite.',
} as const;
