import { guaranteeTests } from "./suite.ts";

guaranteeTests("telegram");
