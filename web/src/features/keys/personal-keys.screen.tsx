import { Button, Radio } from '@primer/react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, readBody, type Schema } from '../../api/client.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { CopyOnceDialog } from '../../ui/copy-once-dialog.js';
import { TextField } from '../../ui/field.js';
import { Lines } from '../../ui/lines.js';
import { QueryRegion } from '../../ui/query-region.js';
import { ScreenHead } from '../../ui/screen.js';
import { EmptyState } from '../../ui/states.js';
import { Row, Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/keys.js';
import { KeyName, KeyTime, RevokeDialog, type NewSecret } from './key-parts.js';
import classes from './keys.module.css';
import { personalKeysQuery } from './keys.query.js';

type Scope = Schema<'PersonalKey'>['scope'];

const SCOPES = ['read', 'write'] as const satisfies Scope[];
const { columns } = text;

/** The keys with which tools work in the name of the user. */
export function PersonalKeysScreen() {
  const query = useQuery(personalKeysQuery);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<NewSecret | null>(null);
  return (
    <>
      <ScreenHead title={text.personal.title} documentTitle={text.personal.title}>
        <Button variant="primary" onClick={() => setIsCreating(true)}>
          {text.create}
        </Button>
      </ScreenHead>
      <p>{text.personal.lead}</p>
      <QueryRegion query={query} failed={text.failed} rows={3}>
        {({ keys }, isStale) =>
          keys.length === 0 ? (
            <EmptyState title={text.personal.none} />
          ) : (
            <Table
              caption={text.personal.caption}
              columns={[columns.name, columns.scopes, columns.created, columns.used, columns.expires, columns.actions]}
              isStale={isStale}
            >
              {keys.map((listed) => (
                <PersonalKeyRow key={listed.id} listed={listed} />
              ))}
            </Table>
          )
        }
      </QueryRegion>
      <Lines title={text.personal.address}>{`${location.origin}/mcp`}</Lines>
      {isCreating && <NewPersonalKeyDialog onCreated={setCreated} onClose={() => setIsCreating(false)} />}
      {created && !isCreating && (
        <CopyOnceDialog
          title={text.secretTitle}
          lead={text.secretLead(created.name)}
          secret={created.secret}
          onClose={() => setCreated(null)}
        />
      )}
    </>
  );
}

const revoke = (id: string): Promise<unknown> =>
  readBody(api.DELETE('/api/settings/mcp-keys/{id}', { params: { path: { id } } }));

function PersonalKeyRow({ listed }: { readonly listed: Schema<'PersonalKey'> }) {
  const [isRevoking, setIsRevoking] = useState(false);
  const { name, scope, createdAt, lastUsedAt, expiresAt } = listed;
  return (
    <Row>
      <th scope="row">
        <KeyName listed={listed} />
      </th>
      <td>{text.personal.scopeNames[scope]}</td>
      <td>
        <KeyTime date={createdAt} />
      </td>
      <td>
        <KeyTime date={lastUsedAt} />
      </td>
      <td>
        <KeyTime date={expiresAt} />
      </td>
      <td>
        <Button size="small" aria-label={text.revokeFor(name)} onClick={() => setIsRevoking(true)}>
          {text.revoke}
        </Button>
        {isRevoking && <RevokeDialog listed={listed} revoke={revoke} onClose={() => setIsRevoking(false)} />}
      </td>
    </Row>
  );
}

interface NewPersonalKeyDialogProps {
  readonly onCreated: (secret: NewSecret) => void;
  readonly onClose: () => void;
}

function NewPersonalKeyDialog({ onCreated, onClose }: NewPersonalKeyDialogProps) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Scope>('read');
  const action = useAction({
    run: async () => {
      // The result of an action is cached, so the secret is not part of it.
      const created = await readBody(api.POST('/api/settings/mcp-keys', { body: { name: name.trim(), scope } }));
      onCreated({ name: created.name, secret: created.key });
      return created.name;
    },
    changes: [['keys', 'personal']],
    done: text.createDone,
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.create}
      confirm={text.createConfirm}
      canConfirm={name.trim() !== ''}
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <TextField label={text.name} hint={text.personal.nameHint} block required value={name} onChange={setName} />
      <fieldset className={classes['choices']}>
        <legend>{text.personal.scope}</legend>
        {SCOPES.map((value) => (
          <label key={value}>
            <Radio name="scope" value={value} checked={scope === value} onChange={() => setScope(value)} />
            {text.personal.scopeNames[value]}
          </label>
        ))}
      </fieldset>
    </ActionDialog>
  );
}
