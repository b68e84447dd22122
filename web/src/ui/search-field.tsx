import { SearchIcon } from '@primer/octicons-react';
import { TextInput } from '@primer/react';
import { usePausedInput } from './use-paused-input.js';

interface SearchFieldProps {
  readonly label: string;
  /** The search in the URL. */
  readonly value: string;
  readonly onSearch: (value: string) => void;
}

/** A field that searches when the user pauses. It follows the URL, for example after "back". */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const { text, setText } = usePausedInput(value, onSearch);
  return (
    <search>
      <TextInput
        type="search"
        block
        leadingVisual={SearchIcon}
        aria-label={label}
        placeholder={label}
        value={text}
        onKeyDown={(event) => {
          // In a dialog it would confirm the action.
          if (event.key === 'Enter') event.preventDefault();
        }}
        onChange={({ target }) => setText(target.value)}
      />
    </search>
  );
}
