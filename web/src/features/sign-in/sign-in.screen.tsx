import { Heading, LinkButton } from '@primer/react';
import { useSearch } from '@tanstack/react-router';
import { words } from '../../words/en.js';

/** Starts the sign-in with GitHub, which returns to the URL that the user wanted to open. */
export function SignInScreen() {
  const { returnTo = '/workspaces', notice = '' } = useSearch({ from: '/sign-in' });
  // The text of the URL is never shown.
  const sentence = Object.hasOwn(words.signIn.notices, notice) ? words.signIn.notices[notice] : undefined;
  return (
    <main id="main" className="page">
      <Heading as="h1">{words.signIn.title}</Heading>
      {sentence !== undefined && <p role="alert">{sentence}</p>}
      <p>{words.signIn.lead}</p>
      <LinkButton variant="primary" size="large" href={`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`}>
        {words.signIn.button}
      </LinkButton>
      <p className="quiet">{words.signIn.who}</p>
    </main>
  );
}
