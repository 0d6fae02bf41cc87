import { useState } from 'react';
import { type Paper, storedPaper, storePaper } from './paper';

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
