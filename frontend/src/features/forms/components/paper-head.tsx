import { useState } from 'react';
import { logoAddress } from '@/logo/logo-value';
import { LogoMark } from '@/ui/logo-mark';
import { statusLook } from '@/ui/statuses';
import type { Form, FormDescription } from '../queries';
import { PaperMark } from './paper-mark';

/** Their logo, or our mark and their name while there is none that can be shown. */
function Issuer({ description }: { description: FormDescription }) {
  const { logoUrl, organization, organizationLines } = description;
  const picture = logoAddress(logoUrl ?? '');
  const [missing, setMissing] = useState<string>();
  return (
    <div className="min-w-0">
      {picture && picture !== missing ? (
        <img
          src={picture}
          alt={organization}
          className="max-h-10.5 max-w-50 min-w-0 object-contain object-left"
          onError={() => setMissing(picture)}
        />
      ) : (
        <div className="flex min-w-0 items-center gap-2.5">
          <LogoMark size={32} className="shrink-0" />
          <bdi className="text-lg font-semibold wrap-anywhere">{organization}</bdi>
        </div>
      )}
      {organizationLines.map((line) => (
        <p key={line} className="mt-1 text-xs wrap-anywhere text-muted">
          <bdi>{line}</bdi>
        </p>
      ))}
    </div>
  );
}

/** Whose form it is, of which delivery, and what became of it. */
export function PaperHead({ form, description }: { form: Pick<Form, 'status'>; description: FormDescription }) {
  const { icon: Icon } = statusLook({ kind: 'delivery', status: form.status });
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4 border-b border-fg pb-5">
      <Issuer description={description} />
      <div className="ml-auto flex min-w-0 flex-col items-end gap-1 text-right @max-lg:ml-0 @max-lg:items-start @max-lg:text-left">
        <span className="text-xs text-muted">{description.title}</span>
        <bdi className="text-[28px] leading-9 font-semibold wrap-anywhere">{description.deliveryId}</bdi>
        <p className="flex flex-wrap justify-end gap-2 @max-lg:justify-start">
          <span className="inline-flex items-center gap-1.5 rounded-full border border-fg px-2.5 text-xs leading-5 font-semibold whitespace-nowrap">
            <Icon aria-hidden className="size-3.5 shrink-0" />
            {description.status}
          </span>
          {description.marks.map((mark) => (
            <PaperMark key={mark}>{mark}</PaperMark>
          ))}
        </p>
      </div>
    </header>
  );
}
