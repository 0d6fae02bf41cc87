import { Camera, Check, FileText, type LucideIcon, PenLine, Upload, X } from 'lucide-react';
import { type Ref, Suspense, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DOCUMENT_ACCEPT, PICTURE_ACCEPT } from '@/data/file-rules';
import { useOfficeRules } from '@/data/use-office-rules';
import { FormFields } from '@/form/form';
import { formatBytes, formatLimit } from '@/lib/numbers';
import { Button, IconButton } from '@/ui/button';
import { FieldNote } from '@/ui/field';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { Skeleton } from '@/ui/skeleton';
import { firstControl, useFocusFallback } from '@/ui/use-focus-fallback';
import type { AttachmentKind } from './queries';
import {
  type AttachmentsControl,
  type PendingAttachment,
  type RefusedFile,
  takesDocuments,
} from './use-attachments';

/** Returns a local URL to preview a chosen picture before it is uploaded. */
function usePreview(file: File | undefined): string | undefined {
  const [preview, setPreview] = useState<string>();

  useEffect(() => {
    if (!file || !/\.(jpe?g|png|webp)$/i.test(file.name)) {
      setPreview(undefined);
      return undefined;
    }
    const address = URL.createObjectURL(file);
    setPreview(address);
    return () => URL.revokeObjectURL(address);
  }, [file]);

  return preview;
}

interface PhotosFieldProps {
  attachments: AttachmentsControl;
  /** The kind of the chosen files. */
  kind: AttachmentKind;
  /** Number of attachments that are already saved. */
  kept?: number;
  required?: boolean;
  error?: string | undefined;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** Field for several files, chosen together or one by one. */
export function PhotosField(props: PhotosFieldProps) {
  const { attachments, kind, kept = 0, required = false, error, busy = false, ref } = props;
  const { t } = useTranslation(['proof', 'common']);
  const noteId = useId();
  const adder = useRef<HTMLDivElement>(null);
  const field = useFocusFallback<HTMLFieldSetElement>(() => firstControl(adder.current));
  const documents = takesDocuments(kind);
  const chosen = attachments.entries.filter((entry) => entry.kind !== 'signature');
  return (
    <fieldset ref={field} className="min-w-0" aria-describedby={noteId}>
      <legend className="mb-1 text-sm font-medium">
        {t(kind === 'photo' ? 'photos.label' : 'photos.labelAll')}
        {!required && (
          <span className="ms-1.5 font-normal text-muted">{t('optional', { ns: 'common' })}</span>
        )}
      </legend>
      {kept > 0 && (
        <p className="mb-2 text-xs text-muted">{t('photos.kept', { count: kept })}</p>
      )}
      {chosen.length > 0 && (
        <ul aria-label={t('chosen.list')} className="mb-2 flex flex-col gap-2">
          {chosen.map((entry) => (
            <ChosenFile
              key={entry.id}
              entry={entry}
              onRemove={() => attachments.remove(entry.id)}
            />
          ))}
        </ul>
      )}
      <RefusedNote refused={attachments.refused} />
      <div ref={adder} className="mt-2">
        <FileButton
          multiple
          ref={ref}
          icon={Camera}
          disabled={busy}
          describedBy={noteId}
          label={t(documents ? 'photos.addFiles' : 'photos.add')}
          accept={documents ? DOCUMENT_ACCEPT : PICTURE_ACCEPT}
          onFiles={(files) => attachments.add(files, kind)}
        />
      </div>
      <FieldNote
        id={noteId}
        hint={t(documents ? 'photos.hintDocuments' : 'photos.hint', {
          size: formatLimit(attachments.limits.bytes),
          count: attachments.limits.files,
        })}
        error={error}
      />
    </fieldset>
  );
}

interface ChosenFileProps {
  entry: PendingAttachment;
  onRemove: () => void;
}

/** A chosen file and its upload progress. An uploaded file cannot be removed. */
function ChosenFile({ entry, onRemove }: ChosenFileProps) {
  const { t } = useTranslation('proof');
  const { file, kind, state, share, message } = entry;
  const preview = usePreview(file);
  return (
    <li className="flex items-center gap-3 rounded-control border border-line p-2">
      <span className="flex size-11 shrink-0 items-center justify-center overflow-hidden rounded-box bg-raised text-muted">
        {preview ? (
          <img src={preview} alt="" className="h-full w-full object-cover" />
        ) : (
          <FileText aria-hidden className="size-5" />
        )}
      </span>
      <div className="min-w-0 flex-1 text-xs">
        <p className="truncate text-sm font-medium">{file.name}</p>
        {state === 'failed' ? (
          <p role="alert" className="text-bad">
            {message}
          </p>
        ) : (
          <p className="flex items-center gap-1 text-muted tabular-nums">
            {state === 'kept' && <Check aria-hidden className="size-3.5 text-ok" />}
            {t(`kind.${kind}`)} · {formatBytes(file.size)} · {t(`chosen.${state}`)}
          </p>
        )}
        {state === 'sending' && (
          <ProgressBar
            thin
            className="mt-1"
            label={t('chosen.progress', { name: file.name })}
            value={share}
          />
        )}
      </div>
      {state !== 'kept' && (
        <IconButton
          icon={X}
          size={28}
          label={t('chosen.remove', { name: file.name })}
          disabled={state === 'sending'}
          onClick={onRemove}
        />
      )}
    </li>
  );
}

interface FileButtonProps {
  label: string;
  icon: LucideIcon;
  accept: string;
  multiple?: boolean;
  disabled?: boolean;
  describedBy?: string | undefined;
  /** Ref to the button, which gets the focus if the field is invalid. */
  ref?: Ref<HTMLButtonElement>;
  onFiles: (files: File[]) => void;
}

/** Opens the browser's file picker. */
function FileButton(props: FileButtonProps) {
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
        // Assistive technology uses the button instead.
        hidden
        aria-label={label}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          // Clear the value, so that a removed file can be chosen again.
          target.value = '';
          if (files.length > 0) onFiles(files);
        }}
      />
    </>
  );
}

/** Explains why a file was refused. */
function RefusedNote({ refused }: { refused: RefusedFile | undefined }) {
  const { t } = useTranslation('proof');
  const { maxAttachments, maxAttachmentBytes } = useOfficeRules();
  if (!refused) return null;
  return (
    <Note tone="bad" role="alert" title={t('invalid.title')}>
      {t(`invalid.${refused.problem}`, {
        name: refused.name,
        size: formatLimit(maxAttachmentBytes),
        count: maxAttachments,
      })}
    </Note>
  );
}

const SignaturePad = lazyPart(() => import('./signature-pad'), ({ onCancel }) => onCancel());

interface SignatureFieldProps {
  attachments: AttachmentsControl;
  /** Whether a signature is already saved. */
  isKept?: boolean;
  required?: boolean;
  error?: string | undefined;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A signature, drawn on screen or uploaded as a picture. */
export function SignatureField(props: SignatureFieldProps) {
  const { attachments, isKept = false, required = false, error, busy = false, ref } = props;
  const { t } = useTranslation(['proof', 'common']);
  const noteId = useId();
  const [isDrawing, setDrawing] = useState(false);
  const tools = useRef<HTMLDivElement>(null);
  const field = useFocusFallback<HTMLFieldSetElement>(() => firstControl(tools.current));
  const chosen = attachments.entries.filter((entry) => entry.kind === 'signature');

  function take(files: readonly File[]) {
    setDrawing(false);
    attachments.add(files, 'signature');
  }

  return (
    <fieldset ref={field} className="min-w-0" aria-describedby={noteId}>
      <legend className="mb-1 text-sm font-medium">
        {t('signature.label')}
        {!required && (
          <span className="ms-1.5 font-normal text-muted">{t('optional', { ns: 'common' })}</span>
        )}
      </legend>
      {chosen.length > 0 && (
        <ul aria-label={t('signature.label')} className="mb-2 flex flex-col gap-2">
          {chosen.map((entry) => (
            <ChosenFile
              key={entry.id}
              entry={entry}
              onRemove={() => attachments.remove(entry.id)}
            />
          ))}
        </ul>
      )}
      <div ref={tools}>
        {isDrawing ? (
          <Suspense fallback={<Skeleton className="aspect-[632/304] w-full max-w-[316px]" />}>
            <FormFields>
              <SignaturePad onUse={(file) => take([file])} onCancel={() => setDrawing(false)} />
            </FormFields>
          </Suspense>
        ) : (
          <div className="flex flex-wrap gap-2">
            <Button
              ref={ref}
              icon={PenLine}
              disabled={busy}
              aria-describedby={noteId}
              onClick={() => setDrawing(true)}
            >
              {t(chosen.length > 0 ? 'signature.drawAgain' : 'signature.draw')}
            </Button>
            <FileButton
              icon={Upload}
              disabled={busy}
              accept={PICTURE_ACCEPT}
              label={t('signature.upload')}
              onFiles={take}
            />
          </div>
        )}
      </div>
      <FieldNote
        id={noteId}
        hint={isKept ? t('signature.kept') : chosen.length === 0 && t('signature.none')}
        error={error}
      />
    </fieldset>
  );
}
