import { PenLine, Upload } from 'lucide-react';
import { type Ref, Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { FieldNote } from '@/ui/field-note';
import { lazyPart } from '@/ui/lazy-part';
import { Skeleton } from '@/ui/skeleton';
import { PICTURE_ACCEPT } from '@/uploads/file-rules';
import { ChosenFile } from './chosen-file';
import { FileButton } from './file-button';
import type { EvidenceControl } from './use-evidence';

const SignaturePad = lazyPart(() => import('./signature-pad'), ({ onCancel }) => onCancel());

interface SignatureFieldProps {
  evidence: EvidenceControl;
  /** One is kept with the delivery already. */
  isKept?: boolean;
  required?: boolean;
  error?: string | undefined;
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A signature: drawn here, or uploaded as a picture by people who cannot draw. */
export function SignatureField(props: SignatureFieldProps) {
  const { evidence, isKept = false, required = false, error, busy = false, ref } = props;
  const { t } = useTranslation(['proof', 'common']);
  const noteId = useId();
  const [isDrawing, setDrawing] = useState(false);
  const chosen = evidence.entries.filter((entry) => entry.kind === 'signature');

  function take(files: readonly File[]) {
    setDrawing(false);
    evidence.add(files, 'signature');
  }

  return (
    <fieldset className="min-w-0" aria-describedby={noteId}>
      <legend className="mb-1 text-sm font-medium">
        {t('signature.label')}
        {!required && (
          <span className="ml-1.5 font-normal text-muted">{t('optional', { ns: 'common' })}</span>
        )}
      </legend>
      {chosen.length > 0 && (
        <ul aria-label={t('signature.label')} className="mb-2 flex flex-col gap-2">
          {chosen.map((entry) => (
            <ChosenFile
              key={entry.id}
              entry={entry}
              onRemove={() => evidence.remove(entry.id)}
            />
          ))}
        </ul>
      )}
      {isDrawing ? (
        <Suspense fallback={<Skeleton className="aspect-[632/304] w-full max-w-[316px]" />}>
          <SignaturePad onUse={(file) => take([file])} onCancel={() => setDrawing(false)} />
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
      <FieldNote
        id={noteId}
        hint={isKept ? t('signature.kept') : chosen.length === 0 && t('signature.none')}
        error={error}
      />
    </fieldset>
  );
}
