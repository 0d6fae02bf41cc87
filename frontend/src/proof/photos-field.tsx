import { Camera } from 'lucide-react';
import { type Ref, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatLimit } from '@/lib/numbers';
import { FieldNote } from '@/ui/field-note';
import { DOCUMENT_ACCEPT, PICTURE_ACCEPT } from '@/uploads/file-rules';
import { ChosenFile } from './chosen-file';
import { FileButton } from './file-button';
import type { AttachmentKind } from './queries';
import { RefusedNote } from './refused-note';
import type { EvidenceControl } from './use-evidence';

interface PhotosFieldProps {
  evidence: EvidenceControl;
  /** What the chosen files are. */
  kind: AttachmentKind;
  /** How many are kept with the delivery already. */
  kept?: number;
  required?: boolean;
  error?: string | undefined;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** Several files, chosen at once or one by one. */
export function PhotosField(props: PhotosFieldProps) {
  const { evidence, kind, kept = 0, required = false, error, busy = false, ref } = props;
  const { t } = useTranslation(['proof', 'common']);
  const noteId = useId();
  const documents = kind === 'document' || kind === 'other';
  const chosen = evidence.entries.filter((entry) => entry.kind !== 'signature');
  return (
    <fieldset className="min-w-0" aria-describedby={noteId}>
      <legend className="mb-1 text-sm font-medium">
        {t(kind === 'photo' ? 'photos.label' : 'photos.labelAll')}
        {!required && (
          <span className="ml-1.5 font-normal text-muted">{t('optional', { ns: 'common' })}</span>
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
              onRemove={() => evidence.remove(entry.id)}
            />
          ))}
        </ul>
      )}
      <RefusedNote refused={evidence.refused} />
      <div className="mt-2">
        <FileButton
          multiple
          ref={ref}
          icon={Camera}
          disabled={busy}
          describedBy={noteId}
          label={t(documents ? 'photos.addFiles' : 'photos.add')}
          accept={documents ? DOCUMENT_ACCEPT : PICTURE_ACCEPT}
          onFiles={(files) => evidence.add(files, kind)}
        />
      </div>
      <FieldNote
        id={noteId}
        hint={t(documents ? 'photos.hintDocuments' : 'photos.hint', {
          size: formatLimit(evidence.limits.bytes),
          count: evidence.limits.files,
        })}
        error={error}
      />
    </fieldset>
  );
}
