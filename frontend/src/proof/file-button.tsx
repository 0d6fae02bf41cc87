import type { LucideIcon } from 'lucide-react';
import { type Ref, useRef } from 'react';
import { Button } from '@/ui/button';

interface FileButtonProps {
  label: string;
  icon: LucideIcon;
  accept: string;
  multiple?: boolean;
  disabled?: boolean;
  describedBy?: string | undefined;
  /** Of the button, which is what takes the focus. */
  ref?: Ref<HTMLButtonElement>;
  onFiles: (files: File[]) => void;
}

/** Opens the chooser of the browser. */
export function FileButton(props: FileButtonProps) {
  const { label, icon, accept, multiple = false, disabled, describedBy, ref, onFiles } = props;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button
        ref={ref}
        icon={icon}
        disabled={disabled}
        aria-describedby={describedBy}
        onClick={() => input.current?.click()}
      >
        {label}
      </Button>
      <input
        ref={input}
        type="file"
        accept={accept}
        multiple={multiple}
        disabled={disabled}
        // The button speaks for it.
        hidden
        aria-label={label}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // The same file may be chosen again after it was taken out.
          target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}
