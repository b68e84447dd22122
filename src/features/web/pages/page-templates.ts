interface Content {
  readonly title: string;
  /** A sentence of this service above the content, or null. */
  readonly notice?: string | null;
  /** Static markup. The script adds dynamic values as text. */
  readonly main: string;
  /** The file name of the page's script. */
  readonly script?: string;
}

/** Builds a page around its content. It must never contain user input. */
function htmlDocument({ title, notice = null, main, script }: Content): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title}</title>
    <link rel="icon" href="/assets/shipgate.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/assets/shipgate.css">${
      script === undefined ? '' : `\n    <script type="module" src="/assets/${script}"></script>`
    }
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="brand" href="/"><img src="/assets/shipgate.svg" alt="" width="32" height="32">Shipgate</a>
      <div id="account"></div>
    </header>
    <main id="main">
${notice === null ? '' : `      <p class="notice" role="status">${notice}</p>\n`}${main.replace(/^\n|\s+$/g, '')}
    </main>
    <footer>
      <a href="/api/docs">API documentation</a>
    </footer>
  </body>
</html>
`;
}

/** The view until the script has loaded its data. Without a session the script does not request the user. */
const loadingView = (session: 'none' | 'maybe'): string => `
      <div id="view" aria-busy="true" data-session="${session}">
        <p class="quiet">Loading…</p>
      </div>
      <noscript><p>This page needs JavaScript. Everything that it does can also be done with the API.</p></noscript>`;

/** The page until the GitHub App has credentials. */
export const SETUP_PAGE = htmlDocument({
  title: 'Set up · Shipgate',
  main: `
      <h1>Shipgate is running, and not set up yet</h1>
      <p class="lead">It works through your own GitHub App. The operator of this server registers it once:</p>
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

/** The front page without a session. */
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

/** The front page with a session cookie. The session may have ended. */
export const homePage = (notice: string | null): string =>
  htmlDocument({ title: 'Shipgate', notice, main: loadingView('maybe'), script: 'front-page.js' });

/** The icon: a gate with a check mark. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="8" fill="#0b5cad"/>
  <path d="M7 25V14a9 9 0 0 1 18 0v11" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/>
  <path d="m11.5 18.5 3.5 3.5 6-7" fill="none" stroke="#8fe3bd" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
`;

const invitePage = (session: 'none' | 'maybe'): string =>
  htmlDocument({ title: 'Invite · Shipgate', main: loadingView(session), script: 'invite-page.js' });

/** The invite page without a session. */
export const SIGNED_OUT_INVITE_PAGE = invitePage('none');

/** The invite page with a session cookie. The session may have ended. */
export const INVITE_PAGE = invitePage('maybe');
