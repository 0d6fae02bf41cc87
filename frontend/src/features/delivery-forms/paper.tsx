import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as v from 'valibot';
import { fetchAuthorized, type WebActionContext } from '@/data/web-actions';
import { readStored, writeStored } from '@/lib/stored-json';

/** Parts of a form that can be left out. */
export const PARTS = ['photos', 'distance', 'notes'] as const;
export type Part = (typeof PARTS)[number];

interface Wanted {
  deliveryId: string;
  /** Version of the form; the newest one by default. */
  formVersion?: number;
  paper: Paper;
  without?: readonly Part[];
}

/** Downloads one form as PDF from the server. */
export async function fetchPdf(wanted: Wanted, context: WebActionContext): Promise<ArrayBuffer> {
  const { deliveryId, formVersion, paper, without = [] } = wanted;
  const query = new URLSearchParams({
    ...(formVersion !== undefined && { formVersion: String(formVersion) }),
    paper,
    ...(without.length > 0 && { without: without.join(',') }),
  });
  const path = `/delivery-forms/${encodeURIComponent(deliveryId)}.pdf?${query}`;
  return (await fetchAuthorized(path, context)).arrayBuffer();
}

export function usePaper(): [Paper, (paper: Paper) => void] {
  const [paper, setPaper] = useState(storedPaper);
  return [
    paper,
    (next) => {
      setPaper(next);
      storePaper(next);
    },
  ];
}

const PAPERS = ['a4', 'letter'] as const;
export type Paper = (typeof PAPERS)[number];

const KEY = 'waybill.paper';

/** Returns the paper size that was last chosen in this browser. */
function storedPaper(): Paper {
  return readStored(KEY, (value) => v.parse(v.picklist(PAPERS), value), 'a4');
}

function storePaper(paper: Paper): void {
  writeStored(KEY, paper);
}

interface PaperSwitchProps {
  paper: Paper;
  onChange: (paper: Paper) => void;
}

/** Switches between A4 and Letter. */
export function PaperSwitch({ paper, onChange }: PaperSwitchProps) {
  const { t } = useTranslation('delivery-forms');
  const name = useId();
  return (
    <fieldset className="flex h-8 shrink-0 rounded-control bg-hover p-0.5 pointer-coarse:h-11">
      <legend className="sr-only">{t('paper.title')}</legend>
      {PAPERS.map((size) => (
        <label
          key={size}
          className="flex cursor-pointer items-center rounded-box px-3 text-sm font-medium text-muted transition-colors duration-120 ease-out hover:text-fg has-checked:bg-surface has-checked:text-fg has-checked:shadow-float has-focus-visible:outline-2 has-focus-visible:outline-offset-1 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            checked={paper === size}
            onChange={() => onChange(size)}
            className="sr-only"
          />
          {t(`paper.${size}`)}
        </label>
      ))}
    </fieldset>
  );
}
