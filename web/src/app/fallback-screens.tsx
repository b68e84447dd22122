import { Button, Heading } from '@primer/react';
import { words } from '../words/en.js';

/** The screen of a URL that does not exist. */
export function NotFoundScreen() {
  return (
    <main id="main" className="page">
      <Heading as="h1">{words.states.notFound}</Heading>
      <p>
        <a href="/workspaces">{words.workspaces.title}</a>
      </p>
    </main>
  );
}

/** The screen of a route that could not be loaded or drawn. */
export function CrashedScreen({ error }: { readonly error: unknown }) {
  return (
    <main id="main" className="page">
      <Heading as="h1">{words.states.crashed}</Heading>
      {error instanceof Error && <p lang="en">{error.message}</p>}
      <Button onClick={() => location.reload()}>{words.states.reload}</Button>
    </main>
  );
}
