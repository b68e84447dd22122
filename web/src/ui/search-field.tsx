import { SearchIcon } from '@primer/octicons-react';
import { TextInput } from '@primer/react';
import { useEffect, useEffectEvent, useState } from 'react';

const PAUSE_MS = 300;

interface SearchFieldProps {
  readonly label: string;
  /** The search in the URL. */
  readonly value: string;
  readonly onSearch: (value: string) => void;
}

/** A field that searches when the user pauses. It follows the URL, for example after "back". */
export function SearchField({ label, value, onSearch }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    if (text.trim() !== value) setText(value);
  }
  const search = useEffectEvent(onSearch);
  useEffect(() => {
    if (text.trim() === known) return undefined;
    const timer = setTimeout(() => search(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, known]);
  return (
    <search>
      <TextInput
        type="search"
        block
        leadingVisual={SearchIcon}
        aria-label={label}
        placeholder={label}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
    </search>
  );
}
