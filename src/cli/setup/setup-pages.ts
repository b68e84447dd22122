import type { AppManifest } from '../../features/setup/app-manifest.js';
import { Markup, markup } from '../../http/html.js';

const STYLE = new Markup(`
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 36rem; margin: 4rem auto; padding: 0 1rem; }
  button, a.button { font: inherit; padding: .5rem 1rem; border: 1px solid; border-radius: .375rem; }
`);

const page = (title: string, body: Markup): string =>
  markup`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Shipgate</title>
<style>${STYLE}</style>
<h1>${title}</h1>
${body}
</html>
`.text;

/** The page whose button takes the manifest to GitHub. */
export const startPage = (action: string, manifest: AppManifest): string =>
  page(
    'Register the GitHub App',
    markup`<p>GitHub will show the name of the app, which you may change, and then register it with the permissions and events
    that Shipgate needs. Its credentials come back to this machine and are kept sealed in the database; you copy nothing.</p>
    <form method="post" action="${action}">
      <input type="hidden" name="manifest" value="${JSON.stringify(manifest)}">
      <button>Continue on GitHub</button>
    </form>`,
  );

export const donePage = (installUrl: string): string =>
  page(
    'Shipgate is set up',
    markup`<p>Now <a href="${installUrl}">install the app</a> in your organization, and choose the repositories that it
    may see.</p><p>You may close this page.</p>`,
  );

export const failedPage = (reason: string): string => page('This did not work', markup`<p>${reason}</p>`);
