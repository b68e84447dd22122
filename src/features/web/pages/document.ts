interface Content {
  readonly title: string;
  /** A sentence of the service's own above the rest; null where there is nothing to say. */
  readonly notice?: string | null;
  /** Markup of the page's own: whatever is known only when it is shown, its script puts there as text. */
  readonly main: string;
  /** The file of the module that brings the page to life; a page without one needs none. */
  readonly script?: string;
}

/** A whole page around its content. Nothing that anybody has typed is ever put into it. */
export function htmlDocument({ title, notice = null, main, script }: Content): string {
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

/** What a page shows until its script has something to show. Without a session the script need not ask who is there. */
export const waitingView = (session: 'none' | 'maybe'): string => `
      <div id="view" aria-busy="true" data-session="${session}">
        <p class="quiet">Loading…</p>
      </div>
      <noscript><p>This page needs JavaScript. Everything that it does can also be done with the API.</p></noscript>`;
