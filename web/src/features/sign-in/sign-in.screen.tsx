import { Heading, LinkButton } from '@primer/react';
import { useSearch } from '@tanstack/react-router';
import { text } from '../../texts/en/sign-in.js';

/** Starts the sign-in with GitHub, which returns to the URL that the user wanted to open. */
export function SignInScreen() {
  const { returnTo = '/workspaces', notice = '' } = useSearch({ from: '/sign-in' });
  // The text of the URL is never shown.
  const sentence = Object.hasOwn(text.notices, notice) ? text.notices[notice] : undefined;
  return (
    <main id="main" className="page">
      <Heading as="h1">{text.title}</Heading>
      {sentence !== undefined && <p role="alert">{sentence}</p>}
      <p>{text.lead}</p>
      <LinkButton variant="primary" size="large" href={`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`}>
        {text.button}
      </LinkButton>
      <p className="quiet">{text.who}</p>
    </main>
  );
}
