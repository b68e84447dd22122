import { htmlDocument, waitingView } from './document.js';

/** Until the GitHub App has credentials. */
export const SETUP_PAGE = htmlDocument({
  title: 'Set up · Shipgate',
  main: `
      <h1>Shipgate is running, and not set up yet</h1>
      <p class="lead">It works through a GitHub App of your own. Whoever runs this server registers it once:</p>
      <ol class="steps">
        <li>On the server, in Shipgate’s folder, run <code>npm run setup</code>. It opens a page on that machine from
          which GitHub registers the app; the credentials come back by themselves and are kept encrypted.</li>
        <li>Install the app in your organization, and choose the repositories that it may see.</li>
        <li>Come back here and sign in as an owner of the organization: you are the first admin of its workspace.</li>
      </ol>
      <p>Where there is an app already, send its credentials to <code>POST /api/config/setup</code> with the one-time
        set-up code from the server’s log. <code>npm run doctor</code> says what is missing, and how to mend it.</p>
      <p><a class="button secondary" href="/">Look again</a></p>`,
});

/** For whoever brings no session. */
export const welcomePage = (notice: string | null): string =>
  htmlDocument({
    title: 'Shipgate',
    notice,
    main: `
      <h1>Releases that can show they are ready</h1>
      <p class="lead">Shipgate gathers the evidence of a release from CI, has it reviewed in a pull request on GitHub, and
        tells your deployment whether the release may go out.</p>
      <p><a class="button" href="/api/auth/login?returnTo=%2F">Sign in with GitHub</a></p>
      <p class="quiet">Owners of an organization that has the app come in as its admins; anyone else by an invite.</p>`,
  });

/** For whoever brings a session, which may have ended since. */
export const homePage = (notice: string | null): string =>
  htmlDocument({ title: 'Shipgate', notice, main: waitingView('maybe'), script: 'front-page.js' });
