import { Heading, LinkButton, Spinner } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { configQuery } from '../../api/session.query.js';
import { ErrorState } from '../../ui/states.js';
import { common } from '../../texts/en/common.js';
import { text } from '../../texts/en/setup.js';
import { SetupForm } from './setup-form.js';

/** The first run: registers the GitHub App with a command on the server, or stores the credentials of an existing app. */
export function SetupScreen() {
  const config = useQuery(configQuery);
  const [result, setResult] = useState<Schema<'SetupResult'> | null>(null);
  useEffect(() => {
    document.title = `${text.title} · ${common.product}`;
  }, []);
  if (result !== null) {
    return (
      <Page title={text.doneTitle}>
        <p>{text.done}</p>
        <p>
          <LinkButton variant="primary" href={result.installUrl}>
            {text.install}
          </LinkButton>{' '}
          <LinkButton href="/sign-in">{text.signIn}</LinkButton>
        </p>
      </Page>
    );
  }
  if (config.data?.configured) {
    return (
      <Page title={text.title}>
        <p>{text.already}</p>
        <LinkButton href="/">{text.home}</LinkButton>
      </Page>
    );
  }
  return (
    <Page title={text.title}>
      {config.isPending && <Spinner srText={common.loading} />}
      {config.error && <ErrorState title={text.failed} error={config.error} onRetry={() => void config.refetch()} />}
      {config.data && (
        <>
          <p>{text.lead}</p>
          <Heading as="h2" variant="small">
            {text.commandTitle}
          </Heading>
          <p>{text.command}</p>
          <pre>
            <code>{text.commandCode}</code>
          </pre>
          <Heading as="h2" variant="small">
            {text.formTitle}
          </Heading>
          <p>{text.formLead}</p>
          <SetupForm onDone={setResult} />
          <p className="quiet">
            <code>{text.doctorCode}</code> {text.doctor}
          </p>
        </>
      )}
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
