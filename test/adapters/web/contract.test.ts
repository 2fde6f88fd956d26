import { adapterContract } from "../../contracts/adapter.ts";
import { webHarness } from "./harness.ts";

adapterContract("the web page", webHarness);
