import { Button, Heading, LinkButton, Spinner } from '@primer/react';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { api, ApiError, readBody, type Schema } from '../../api/client.js';
import { meQuery } from '../../api/session.query.js';
import { sendToTabs } from '../../live/tabs.js';
import { ButtonLink } from '../../ui/links.js';
import { ActionError, ErrorState } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/invite.js';
import { deleteInviteToken, readInviteToken } from './invite-token.js';
import classes from './invite.module.css';

/** The statuses of an invite that never works again. */
const FINAL: readonly number[] = [404, 410];
const SIGN_IN = '/api/auth/login?returnTo=%2Finvite';

/** Accepts the invite of a link. The route has moved its token from the URL to the storage of the tab. */
export function InviteScreen() {
  const [joined, setJoined] = useState<Schema<'WorkspaceMembership'> | null>(null);
  const [rejection, setRejection] = useState<Error | null>(null);
  useEffect(() => {
    document.title = `${text.documentTitle} · ${common.product}`;
  }, []);
  // The link of another invite, opened in the same tab, changes the location only.
  useLocation();
  const hasToken = readInviteToken() !== null;
  if (joined !== null) return <Welcome {...joined} />;
  if (hasToken) return <Invitation onJoined={setJoined} onRejected={setRejection} />;
  if (rejection !== null) {
    return (
      <Page title={text.rejected}>
        <ActionError error={rejection} />
        <HomeButton />
      </Page>
    );
  }
  return (
    <Page title={text.nothing}>
      <p role="alert">{text.nothingHint}</p>
      <HomeButton />
    </Page>
  );
}

function Page({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main id="main" className="page">
      <Heading as="h1">{title}</Heading>
      {children}
    </main>
  );
}

const HomeButton = () => <LinkButton href="/">{text.home}</LinkButton>;

function Welcome({ org, role }: Schema<'WorkspaceMembership'>) {
  return (
    <Page title={text.welcome(org)}>
      <p>{text.nowRole[role]}</p>
      <ButtonLink variant="primary" to="/w/$org/releases" params={{ org }}>
        {text.open}
      </ButtonLink>
    </Page>
  );
}

/** The workspace and the role of the invite. The route removes the answer about an earlier invite. The token is a secret, so no key has it. */
const previewQuery = queryOptions({
  queryKey: ['invite'],
  queryFn: ({ signal }) =>
    readBody(api.POST('/api/team/invites/preview', { body: { token: readInviteToken() ?? '' }, signal })),
  retry: false,
  gcTime: 0,
});

/** Deletes the token of an invite that never works again. */
function rejectIfFinal(error: Error | null, onRejected: (error: Error) => void): void {
  if (!(error instanceof ApiError) || !FINAL.includes(error.status)) return;
  deleteInviteToken();
  onRejected(error);
}

interface InvitationProps {
  readonly onJoined: (membership: Schema<'WorkspaceMembership'>) => void;
  readonly onRejected: (error: Error) => void;
}

/** Shows who would become a member, and accepts. Without a session the user signs in and returns. */
function Invitation({ onJoined, onRejected }: InvitationProps) {
  const client = useQueryClient();
  const me = useQuery(meQuery);
  const preview = useQuery({ ...previewQuery, enabled: me.data !== undefined });
  const accept = useMutation({
    mutationFn: async () => {
      const { workspace } = await readBody(
        api.POST('/api/team/invites/accept', { body: { token: readInviteToken() ?? '' } }),
      );
      return workspace;
    },
    onSuccess: (workspace) => {
      deleteInviteToken();
      // Everything in the cache belongs to the former workspace.
      client.clear();
      sendToTabs({ selected: workspace.org });
      onJoined(workspace);
    },
    onError: (error) => rejectIfFinal(error, onRejected),
  });
  useEffect(() => rejectIfFinal(preview.error, onRejected), [preview.error, onRejected]);
  const problem = accept.error ?? preview.error;
  const isSignedOut = [me.error, accept.error].some((error) => error instanceof ApiError && error.status === 401);
  if (isSignedOut) {
    return (
      <Page title={text.title}>
        <p>{text.signInLead}</p>
        <LinkButton variant="primary" size="large" href={SIGN_IN}>
          {text.signIn}
        </LinkButton>
      </Page>
    );
  }
  return (
    <Page title={text.title}>
      {me.isPending && <Spinner srText={common.loading} />}
      <p>{preview.data ? text.invitedTo[preview.data.role](preview.data.org) : text.lead}</p>
      {preview.data?.auditor === true && <p>{text.alsoAuditor}</p>}
      {me.error && <ErrorState title={text.failed} error={me.error} onRetry={() => void me.refetch()} />}
      {me.data && (
        <>
          <p>{text.signedInAs(me.data.user.login)}</p>
          {problem && <ActionError error={problem} />}
          <div className={classes['actions']}>
            <Button variant="primary" loading={accept.isPending} onClick={() => accept.mutate()}>
              {text.accept}
            </Button>
            <LinkButton href={SIGN_IN}>{text.otherAccount}</LinkButton>
          </div>
        </>
      )}
    </Page>
  );
}
