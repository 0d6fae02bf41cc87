import { useTranslation } from 'react-i18next';
import type { FormContent } from '../queries';

interface PaperNotesProps {
  content: FormContent;
  withNotes: boolean;
}

/** Why it came out so, and why this form replaces the one before it. */
export function PaperNotes({ content, withNotes }: PaperNotesProps) {
  const { t } = useTranslation('forms');
  const { reason, correctionReason, delivery, variances } = content;
  const ofDocument = variances.filter(({ itemNumber }) => itemNumber === null);
  const notes = [
    { name: 'corrected', text: correctionReason },
    { name: 'reason', text: reason },
    {
      name: 'document',
      text: ofDocument
        .map((variance) => [variance.reason, withNotes && variance.note].filter(Boolean).join(', '))
        .join(' · '),
    },
    { name: 'note', text: withNotes ? delivery.outcomeNote : null },
  ].filter(({ text }) => text);
  if (notes.length === 0) return null;
  return (
    <section
      aria-label={t('notes.title')}
      className="mb-4 flex break-inside-avoid flex-col gap-1 rounded-box border border-line2 px-3 py-2 text-xs"
    >
      {notes.map(({ name, text }) => (
        <p key={name} className="wrap-anywhere whitespace-pre-line">
          <span className="font-semibold">{t(`notes.${name}`)}</span> {text}
        </p>
      ))}
    </section>
  );
}
