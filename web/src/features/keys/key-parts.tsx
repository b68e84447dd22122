import { StatusLabel } from '../../release-ui/status-label.js';
import { ActionDialog } from '../../ui/action-dialog.js';
import { RelativeTime, useNow } from '../../ui/relative-time.js';
import { Facts } from '../../ui/screen.js';
import { useAction } from '../../ui/use-action.js';
import { text } from '../../texts/en/keys.js';
import { findKeyProblem } from './key-age.js';

/** A new key. The secret exists in the state of the screen until its dialog closes, and nowhere else. */
export interface NewSecret {
  readonly name: string;
  readonly secret: string;
}

interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** The name of a key, how its secret starts, and whether it is expired or unused. */
export function KeyName({ listed }: { readonly listed: ListedKey }) {
  const problem = findKeyProblem(listed, useNow());
  return (
    <>
      {listed.name}
      <div className="quiet">
        <code>{listed.prefix}…</code>
      </div>
      {problem && <StatusLabel kind="stale">{text[problem]}</StatusLabel>}
    </>
  );
}

/** A time of a key, or "never". */
export const KeyTime = ({ date }: { readonly date: string | null }) =>
  date === null ? text.never : <RelativeTime date={date} />;

interface RevokeDialogProps {
  readonly listed: ListedKey;
  readonly revoke: (id: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks before a key is revoked: its name, how it starts, and when it was last used. */
export function RevokeDialog({ listed: { id, name, prefix, lastUsedAt }, revoke, onClose }: RevokeDialogProps) {
  const action = useAction({
    run: () => revoke(id),
    changes: [['keys']],
    done: () => text.revokeDone(name),
    onDone: onClose,
  });
  return (
    <ActionDialog
      title={text.revokeTitle(name)}
      confirm={text.revokeTitle(name)}
      isDangerous
      action={action}
      onConfirm={action.start}
      onClose={onClose}
    >
      <p>{text.revokeEffect}</p>
      <Facts
        entries={[
          [text.revokeFacts.name, name],
          [text.revokeFacts.prefix, <code key="prefix">{prefix}…</code>],
          [text.revokeFacts.used, <KeyTime key="used" date={lastUsedAt} />],
        ]}
      />
    </ActionDialog>
  );
}
