import { Heading, LinkButton } from '@primer/react';
import { useSearch } from '@tanstack/react-router';
import mark from '../../ui/shipgate.svg';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/sign-in.js';
import classes from './sign-in.module.css';

/** Starts the sign-in with GitHub, which returns to the URL that the user wanted to open. */
export function SignInScreen() {
  const { returnTo = '/workspaces', notice = '' } = useSearch({ from: '/sign-in' });
  // The text of the URL is never shown.
  const sentence = Object.hasOwn(text.notices, notice) ? text.notices[notice] : undefined;
  return (
    <main id="main" className={classes['page']}>
      <div className={classes['card']}>
        <div className={classes['brand']}>
          <img src={mark} alt="" width={32} height={32} />
          {common.product}
        </div>
        <Heading as="h1" variant="medium">
          {text.title}
        </Heading>
        {sentence !== undefined && <p role="alert">{sentence}</p>}
        <p>{text.lead}</p>
        <LinkButton variant="primary" size="large" href={`/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`}>
          {text.button}
        </LinkButton>
        <p className="quiet">{text.who}</p>
      </div>
    </main>
  );
}
