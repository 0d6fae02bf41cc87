import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import type { Paper } from '../paper';
import '../paper.css';
import type { Form, FormDescription } from '../queries';
import { PaperEvidence } from './paper-evidence';
import { PaperFacts } from './paper-facts';
import { PaperFoot } from './paper-foot';
import { PaperHead } from './paper-head';
import { PaperItems } from './paper-items';
import { PaperNotices } from './paper-notices';

interface FormPaperProps {
  form: Pick<Form, 'deliveryId' | 'formVersion' | 'status'>;
  description: FormDescription;
  paper: Paper;
  /** Another text is on its way: it is not printed before that has come. */
  isPending?: boolean;
  ref?: Ref<HTMLElement>;
}

/**
 * The form as it is printed. Every word on it is the server's, as in the PDF. Its theme is that of paper,
 * whatever that of the app is.
 */
export function FormPaper({ form, description, paper, isPending = false, ref }: FormPaperProps) {
  const { t } = useTranslation('forms');
  return (
    <article
      ref={ref}
      aria-label={t('paperName', { id: form.deliveryId, version: form.formVersion })}
      aria-busy={isPending || undefined}
      data-theme="light"
      data-paper={paper}
      className="form-paper mx-auto flex flex-col bg-surface text-fg shadow-dialog print:block print:shadow-none"
    >
      {isPending && <span data-loading />}
      <PaperHead form={form} description={description} />
      {description.notices.map((notice) => (
        <PaperNotices key={notice.lead} notices={[notice]} />
      ))}
      <PaperFacts sections={description.sections} />
      <PaperItems table={description.items} />
      <PaperNotices notices={description.notes} />
      <PaperEvidence description={description} />
      <PaperFoot description={description} />
    </article>
  );
}
