import { Layers, PencilLine } from 'lucide-react';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import type { Included } from '../include';
import type { Paper } from '../paper';
import '../paper.css';
import type { Form, FormContent } from '../queries';
import { PaperEvidence } from './paper-evidence';
import { PaperFacts } from './paper-facts';
import { PaperFoot } from './paper-foot';
import { PaperHead } from './paper-head';
import { PaperItems } from './paper-items';
import { PaperMark } from './paper-mark';
import { PaperNotes } from './paper-notes';
import { PaperOutcome } from './paper-outcome';

interface FormPaperProps {
  form: Form;
  content: FormContent;
  paper: Paper;
  included: Included;
  ref?: Ref<HTMLElement>;
}

/** The form as it is printed. Its theme is that of paper, whatever that of the app is. */
export function FormPaper({ form, content, paper, included, ref }: FormPaperProps) {
  const { t } = useTranslation('forms');
  const timeZone = useTimeZone();
  const { formVersion, supersededBy } = form;
  return (
    <article
      ref={ref}
      aria-label={t('paperName', { id: form.deliveryId, version: formVersion })}
      data-theme="light"
      data-paper={paper}
      className="form-paper mx-auto flex flex-col bg-surface text-fg shadow-dialog print:block print:shadow-none"
    >
      {(supersededBy !== null || content.correctionReason !== null) && (
        <p className="mb-4 flex flex-wrap gap-2">
          {supersededBy !== null && (
            <PaperMark icon={Layers}>{t('marks.superseded', { by: supersededBy })}</PaperMark>
          )}
          {content.correctionReason !== null && (
            <PaperMark icon={PencilLine}>{t('marks.corrected')}</PaperMark>
          )}
        </p>
      )}
      <PaperHead form={form} />
      <PaperFacts delivery={content.delivery} timeZone={timeZone} />
      <PaperOutcome
        delivery={content.delivery}
        withPlaces={included.places}
        timeZone={timeZone}
      />
      <PaperItems content={content} withNotes={included.notes} />
      <PaperNotes content={content} withNotes={included.notes} />
      <PaperEvidence content={content} withPhotos={included.photos} timeZone={timeZone} />
      <PaperFoot form={form} timeZone={timeZone} />
    </article>
  );
}
