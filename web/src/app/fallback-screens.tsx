import { Button, Heading } from '@primer/react';
import { useEffect } from 'react';
import { common } from '../texts/en/common.js';
import { text as workspaces } from '../texts/en/workspaces.js';
import { reloadIfUseful } from '../ui/load-code.js';
import { ScreenHead } from '../ui/screen.js';

/** The screen of a URL that does not exist. */
export function NotFoundScreen() {
  return (
    <main id="main" className="page">
      <Heading as="h1">{common.notFound}</Heading>
      <p>
        <a href="/workspaces">{workspaces.title}</a>
      </p>
    </main>
  );
}

/** The same within a workspace, whose navigation stays. */
export function NotFoundInWorkspace() {
  return (
    <>
      <ScreenHead title={common.notFound} documentTitle={common.notFound} />
      <p>{common.notFoundHint}</p>
    </>
  );
}

/**
 * The screen of a route that could not be loaded or drawn. After an upgrade of the service an open page may need a file that is gone, or get
 * answers of another form, and a network may lose a file. Then it reloads the page, at the URL of this route.
 */
export function CrashedScreen({ error }: { readonly error: unknown }) {
  useEffect(() => {
    void reloadIfUseful(error);
  }, [error]);
  return (
    <main id="main" className="page">
      <Heading as="h1">{common.crashed}</Heading>
      {error instanceof Error && <p lang="en">{error.message}</p>}
      <Button onClick={() => location.reload()}>{common.reload}</Button>
    </main>
  );
}
