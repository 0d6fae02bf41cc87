import { ImagePlus } from 'lucide-react';
import { type DragEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { checkLogoFile, LOGO_ACCEPT, MAX_LOGO_BYTES } from '@/data/file-rules';
import { formatBytes } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { FieldNote } from '@/ui/field';
import { toast } from '@/ui/toast';

// Fixed by the specification, so not translated.
const INVALID_FILE = 'Invalid file';

interface LogoFileFieldProps {
  label: string;
  file: File | null;
  /** The URL of the chosen picture, or else of the saved one. */
  picture: string | undefined;
  required: boolean;
  disabled: boolean;
  /** Why the last chosen file was refused. */
  error: string | undefined;
  onChange: (file: File | null) => void;
  onRefused: (error: string) => void;
}

/** Accepts a picture by file picker, drag and drop, or paste. */
export function LogoFileField(props: LogoFileFieldProps) {
  const { label, file, picture, required, disabled, error, onChange, onRefused } = props;
  const { t } = useTranslation('logo');
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);

  function take(files: FileList | null | undefined) {
    const taken = files?.[0];
    if (!taken || disabled) return;
    const problem = checkLogoFile(taken);
    if (!problem) {
      onChange(taken);
      return;
    }
    const text = problem === 'size' ? t('tooLarge', { size: formatBytes(MAX_LOGO_BYTES) }) : INVALID_FILE;
    toast.error(text);
    onRefused(text);
  }

  const paste = useEffectEvent((event: ClipboardEvent) => {
    if (!event.clipboardData?.files.length) return;
    event.preventDefault();
    take(event.clipboardData.files);
  });

  useEffect(() => {
    const onPaste = (event: ClipboardEvent) => paste(event);
    window.addEventListener('paste', onPaste);
    return () => window.removeEventListener('paste', onPaste);
  }, []);

  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  }

  const missing = required && !file;
  return (
    <div role="group" aria-labelledby={`${id}-label`} aria-describedby={`${id}-note`}>
      <p id={`${id}-label`} className="mb-1 text-sm font-medium">
        {label}
      </p>
      <div
        onDragOver={(event) => {
          event.preventDefault();
          if (!disabled) setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
        className={cn(
          'flex items-center gap-4 rounded-panel border border-dashed p-4 transition-colors duration-120 ease-out max-sm:flex-col max-sm:items-start',
          over ? 'border-accent bg-accent-soft' : error ? 'border-bad' : 'border-field bg-surface',
        )}
      >
        <span
          className={cn(
            'flex h-16 w-[116px] shrink-0 items-center justify-center overflow-hidden rounded-control border border-line p-2',
            picture && 'bg-logo-plate',
          )}
        >
          {picture ? (
            <img src={picture} alt="" className="max-h-full max-w-full object-contain" />
          ) : (
            <ImagePlus aria-hidden className="size-6 text-muted" />
          )}
        </span>
        <div className="min-w-0 flex-1">
          <p className="truncate text-sm font-medium">
            {file ? file.name : t(picture ? 'current' : 'noFile')}
          </p>
          <p className="text-xs text-muted">{file ? formatBytes(file.size) : t('dropOrPaste')}</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <Button
              disabled={disabled}
              aria-describedby={`${id}-label ${id}-note`}
              onClick={() => input.current?.click()}
            >
              {t('choose')}
            </Button>
            {file && (
              <Button variant="quiet" disabled={disabled} onClick={() => onChange(null)}>
                {t('remove')}
              </Button>
            )}
          </div>
        </div>
        <input
          ref={input}
          type="file"
          accept={LOGO_ACCEPT}
          disabled={disabled}
          // People use the button instead of the file input.
          hidden
          aria-label={label}
          onChange={({ target }) => {
            take(target.files);
            // Reset, so that the same file can be chosen again.
            target.value = '';
          }}
        />
      </div>
      <FieldNote
        id={`${id}-note`}
        error={error}
        hint={missing ? `${t('required')} ${t('types')}` : t('types')}
      />
    </div>
  );
}
