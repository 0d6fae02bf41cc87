import { CloudUpload, Upload } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button';
import { cn } from './cn';

interface DropZoneProps {
  title: ReactNode;
  text?: ReactNode;
  /** Label of the button, the alternative to dropping. */
  chooseLabel: string;
  /** As in a file input: '.csv,text/csv'. */
  accept?: string;
  disabled?: boolean;
  onFile: (file: File) => void;
  children?: ReactNode;
}

export function DropZone({
  title,
  text,
  chooseLabel,
  accept,
  disabled = false,
  onFile,
  children,
}: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);

  function take(files: FileList | null) {
    const file = files?.[0];
    if (file && !disabled) onFile(file);
  }

  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        if (!disabled) setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
      className={cn(
        'flex min-h-64 flex-col items-center justify-center rounded-panel border border-dashed px-6 py-10 text-center transition-colors duration-120 ease-out',
        over ? 'border-accent bg-accent-soft' : 'border-field bg-surface',
      )}
    >
      <span
        aria-hidden
        className={cn(
          'flex size-12 items-center justify-center rounded-full text-accent',
          over ? 'bg-surface' : 'bg-accent-soft',
        )}
      >
        <CloudUpload className="size-6" />
      </span>
      <p className="mt-4 text-title font-semibold">{title}</p>
      {text && <p className="mt-1 text-sm text-muted">{text}</p>}
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Button
          variant="primary"
          size={36}
          icon={Upload}
          disabled={disabled}
          onClick={() => input.current?.click()}
        >
          {chooseLabel}
        </Button>
        {children}
      </div>
      <input
        ref={input}
        type="file"
        accept={accept}
        disabled={disabled}
        tabIndex={-1}
        aria-label={chooseLabel}
        className="sr-only"
        onChange={(event) => {
          take(event.target.files);
          // Reset, so that the same file can be chosen again after fixing it.
          event.target.value = '';
        }}
      />
    </div>
  );
}
