import { Checkbox, Dialog } from '@primer/react';
import { useId } from 'react';
import { text } from '../texts/en/frame.js';
import classes from './frame.module.css';

interface ShortcutsDialogProps {
  readonly isOn: boolean;
  readonly onTurn: (on: boolean) => void;
  readonly onClose: () => void;
}

/** Lists the keys, and lets the user turn them off. */
export function ShortcutsDialog({ isOn, onTurn, onClose }: ShortcutsDialogProps) {
  const id = useId();
  return (
    <Dialog title={text.shortcuts} width="medium" onClose={onClose}>
      <dl className={classes['keys']}>
        {text.keys.map(([keys, effect]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <label htmlFor={id} className={classes['option']}>
        <Checkbox id={id} checked={isOn} onChange={({ target }) => onTurn(target.checked)} /> {text.shortcutsOn}
      </label>
    </Dialog>
  );
}
